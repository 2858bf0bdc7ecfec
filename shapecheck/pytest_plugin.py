"""The pytest plugin, inert until it is asked for.

pytest imports this module in every run of an environment that has shapecheck installed, so it imports nothing itself.
"""
