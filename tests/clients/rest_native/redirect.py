"""The way from the address that is fixed in the library to ours: below `requests`, outside of the library.

The contract leaves the brand parts of two type names out, so they are renamed on the way there and back. Nothing
else is changed, and nothing leaves this machine: pictures of the vendor's site are made here, any other address fails.
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
    """The text with each of the names, standing alone as a type does, in place of the other."""
    for name, other in names.items():
        text = re.sub(rf'(?<=["=]){name}(?=["&]|$)', other, text)
    return text


class Redirect(HTTPAdapter):
    """Carries requests for the vendor's API to `base_url`."""

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
        # The library keeps what was answered to itself; a test that fails shows this.
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
    """From here on every session of `requests` goes this way."""
    Redirect.base_url = base_url.rstrip('/')
    requests.sessions.HTTPAdapter = Redirect
