"""What a Python session is made of. See session.py."""
