"""Who an account is, shown: by password, code, passkey or a provider's word; built on django-allauth's parts."""
