"""When are two mathematical answers the same? Reading, structure, values, in that order."""
