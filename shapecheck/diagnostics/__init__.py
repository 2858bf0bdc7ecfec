"""What was found and where, and the ways to say it: model, wording, suppressions, baseline, renderers.

Nothing is imported here: a caller names the module it needs, so that a clean run loads no renderer.
"""
