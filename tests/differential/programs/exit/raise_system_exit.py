raise SystemExit(9)
