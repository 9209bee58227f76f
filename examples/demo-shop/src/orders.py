"""The order book: orders are appended and closed, never deleted."""

ORDERS = []


def place(item, cents):
    ORDERS.append({"item": item, "cents": cents, "open": True})


def close(index):
    ORDERS[index]["open"] = False
