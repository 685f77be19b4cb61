"""Check digits of cards, accounts and identity numbers."""

from datetime import date

_ID_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS = "10X98765432"


def luhn(digits: str) -> bool:
    """ISO/IEC 7812: payment cards."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def id_card_cn(number: str) -> bool:
    """GB 11643: eighteen characters with a real day of birth and a right check character."""
    if len(number) != 18 or number[0] not in "12345678":
        return False
    try:
        born = date(int(number[6:10]), int(number[10:12]), int(number[12:14]))
    except ValueError:
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_ID_WEIGHTS, number, strict=False))
    return 1900 <= born.year < 2100 and _ID_CHECKS[total % 11] == number[17].upper()


def iban(account: str) -> bool:
    """ISO 13616: the rearranged account leaves 1 when divided by 97."""
    moved = account[4:] + account[:4]
    return int("".join(str(int(char, 36)) for char in moved)) % 97 == 1
