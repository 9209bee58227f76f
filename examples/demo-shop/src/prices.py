PRICES = {"tea": 450, "mug": 1200}
