import csv

writer = csv.writer(open("/workspace/x.csv", "w", newline=""))
writer.writerow([1, "two", 3.5])
