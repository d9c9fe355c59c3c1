"""Look-through: the lines that a command reads from project files and runs. Pure readers of text; nothing is executed, and unreadable files are reported."""
