"""The catalogue of rules, one page each (`SC203.md`), and the logic of the silent-fault rules."""
