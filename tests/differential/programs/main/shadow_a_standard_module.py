#: [files]
#: "colorsys.py" = "print('mine')\n"
import colorsys

print(colorsys.__file__)
