"""One wrong axis in each file.

The line at fault carries the code it is flagged with, `# error: SC203`, and the line below it the
repair. Most of these run without complaint when the axes confused happen to be equally long.
"""
