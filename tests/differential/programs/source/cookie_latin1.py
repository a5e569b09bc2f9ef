# -*- coding: latin-1 -*-
print("äöü")
raise ValueError("ß")
