"""Prices, carts and receipts."""

from shop.cart import Cart, discounted
from shop.prices import parse_price, roman

__all__ = ["Cart", "discounted", "parse_price", "roman"]
