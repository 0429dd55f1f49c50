"""Redirects calls from the address that is fixed in the library to Daybook: below `requests`, outside of the library.

The contract omits the brand parts of two type names, so they are renamed in requests and responses. Nothing else is
changed and no call leaves this host: pictures of the vendor's site are created here, any other address fails.
"""

import re
from urllib.parse import urlsplit

import requests.sessions
from requests import Response
from requests.adapters import HTTPAdapter

API = 'https://uat-api.synapsefi.com/v3.1'
PICTURES = 'https://cdn.synapsepay.com/static_assets/'
PICTURE = b'\x89PNG\r\n\x1a\n'
TYPES = {'SYNAPSE-US': 'LEDGER-US', 'TRIUMPH-SUBACCOUNT-US': 'PARTNER-SUBACCOUNT-US'}
ANSWERED_WITHIN_S = 30


def renamed(text, names):
    """Replaces each name, where it stands alone as a type, by its counterpart."""
    for name, other in names.items():
        text = re.sub(rf'(?<=["=]){name}(?=["&]|$)', other, text)
    return text


class Redirect(HTTPAdapter):
    """Sends requests for the vendor's API to `base_url`."""

    base_url = ''

    def send(self, request, **options):
        if request.url.startswith(PICTURES):
            return picture(request)
        if not request.url.startswith(API):
            raise requests.ConnectionError(f'{urlsplit(request.url).hostname} is not asked by tests', request=request)
        request.url = self.base_url + '/v3.1' + renamed(request.url.removeprefix(API), TYPES)
        if request.body:
            request.prepare_body(renamed(request.body, TYPES), None)
        response = super().send(request, **{**options, 'timeout': ANSWERED_WITHIN_S, 'proxies': {}})
        # The library does not show responses; a failing test prints this output.
        print(request.method, urlsplit(request.url).path, response.status_code, response.text[:500])
        back = {ours: theirs for theirs, ours in TYPES.items()}
        return answered(response, renamed(response.text, back).encode())


def picture(request):
    response = Response()
    response.status_code, response.request, response.url = 200, request, request.url
    return answered(response, PICTURE)


def answered(response, body):
    response._content = body
    return response


def install(base_url):
    """Redirects every new session of `requests`."""
    Redirect.base_url = base_url.rstrip('/')
    requests.sessions.HTTPAdapter = Redirect
