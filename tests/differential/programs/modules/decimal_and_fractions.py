import decimal
import fractions

print(decimal.getcontext())
print(decimal.Decimal(1) / 7, fractions.Fraction(1, 3) + 1)
