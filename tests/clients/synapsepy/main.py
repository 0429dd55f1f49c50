"""Runs the main flows of synapsepy 1.2.13, unmodified, against a running Daybook: only `base_url` is set.

Environment: BASE_URL (without /v3.1), CLIENT_ID, CLIENT_SECRET, FRAGMENT.
"""

import os
import sys
import uuid
from pathlib import Path
from types import SimpleNamespace

import requests
import steps
from synapsepy import Client, User
from synapsepy import errors

HOST = os.environ['BASE_URL'].rstrip('/') + '/v3.1'
CREDENTIALS = {'client_id': os.environ['CLIENT_ID'], 'client_secret': os.environ['CLIENT_SECRET']}
IP = '127.0.0.1'
DEVICE = 'a-device'
SCOPE = ['USERS|POST', 'USER|PATCH', 'NODES|POST', 'NODE|PATCH', 'TRANS|POST', 'TRAN|PATCH']
NEW_USER = {
    'logins': [{'email': 'pythonTest@example.com', 'password': 'test1234', 'read_only': False}],
    'phone_numbers': ['901.111.1111'],
    'legal_names': ['Python Test User'],
    'extra': {'note': 'Interesting user', 'supp_id': '122eddfgbeafrfvbbb', 'is_business': False},
}
ACCOUNT = {
    'type': 'ACH-US',
    'info': {
        'nickname': 'Fake Account', 'account_num': '1232225674134', 'routing_num': '051000017',
        'type': 'PERSONAL', 'class': 'CHECKING',
    },
}

world = SimpleNamespace()


def new_client():
    client = Client(**CREDENTIALS, fingerprint=DEVICE, ip_address=IP, devmode=True)
    client.http.base_url = HOST
    return steps.Noted(client, User)


def fresh_key():
    """Returns an idempotency key for one POST: a client repeats its last key in each POST without one."""
    return str(uuid.uuid4())


def login(bank_id):
    return {'type': 'ACH-US', 'info': {'bank_id': bank_id, 'bank_pw': 'test1234', 'bank_name': 'fake'}}


def simulate(what, body):
    """Calls an endpoint of the sandbox, for which the library has no method."""
    headers = {'X-SP-GATEWAY': '{client_id}|{client_secret}'.format(**CREDENTIALS)}
    session = requests.Session()
    session.trust_env = False
    session.post(f'{HOST}/sandbox/{what}', json=body, headers=headers).raise_for_status()


def verify(user):
    simulate(f'users/{user.id}/verify', {'permission': 'SEND-AND-RECEIVE'})


def refused(kind, call, *values, **options):
    try:
        call(*values, **options)
    except kind as error:
        return error
    raise AssertionError(f'it was not refused with {kind.__name__}')


def is_page(page, records, count):
    assert page.page == 1 and page.limit > 0, (page.page, page.limit)
    assert len(records) == min(page.limit, count), (len(records), count)


def make_user():
    """make a user, and get it"""
    world.client = new_client()
    made = world.client.create_user(NEW_USER, IP, fingerprint=DEVICE, idempotency_key=fresh_key())
    verify(made)
    world.user = world.client.get_user(made.id, ip=IP, fingerprint=DEVICE, full_dehydrate=True)
    assert world.user.id == made.id
    assert world.user.body['permission'] == 'SEND-AND-RECEIVE'


def authenticate():
    """OAuth, whole and of one scope"""
    assert world.user.oauth()['user_id'] == world.user.id
    assert world.user.oauth({'scope': ['USER|GET']})['scope'] == ['USER|GET']
    assert world.user.refresh() == world.user.body['refresh_token']
    world.user.oauth()


def register_device():
    """a new device is asked for a PIN"""
    client = new_client()
    user = client.create_user(NEW_USER, IP)
    client.update_headers(fingerprint='a-new-device')
    asked = refused(errors.ActionPending, user.oauth)
    device = asked.response['phone_numbers'][0]
    assert user.select_2fa_device(device)['success'] is True
    assert user.confirm_2fa_pin('123456')['user_id'] == user.id


def change_user():
    """change a user, and add documents"""
    user = new_client().create_user(NEW_USER, IP)
    user.oauth()
    token = user.body['refresh_token']
    changed = user.update_info({'refresh_token': token, 'update': {'legal_name': 'Some new name'}})
    assert 'Some new name' in changed['legal_names']
    ssn = {'document_value': '2222', 'document_type': 'SSN'}
    changed = user.update_info({'documents': [{'name': 'Test', 'ip': IP, 'virtual_docs': [ssn]}]})
    assert len(changed['documents']) == 1


def find_users():
    """find users"""
    users = world.client.get_all_users(query='pythonTest', page=1, per_page=3, show_refresh_tokens=True)
    assert users.users_count >= 3, users.users_count
    is_page(users, users.list_of_users, users.users_count)


def make_nodes():
    """make nodes, by numbers and by logins"""
    user = world.user
    wallet = {'type': 'DEPOSIT-US', 'info': {'nickname': 'Wallet'}}
    world.wallet = user.create_node(wallet, idempotency_key=fresh_key()).list_of_nodes[0]
    world.bank = user.create_node(ACCOUNT, idempotency_key=fresh_key()).list_of_nodes[0]
    assert user.create_node(login('synapse_nomfa'), idempotency_key=fresh_key()).node_count == 2
    asked = user.create_node(login('synapse_good'), idempotency_key=fresh_key())
    answer = {'access_token': asked['mfa']['access_token'], 'mfa_answer': 'test_answer'}
    assert user.ach_mfa(answer).node_count == 2
    refused(errors.RequestFailed, user.create_node, login('synapse_no_accounts'), idempotency_key=fresh_key())


def list_nodes():
    """get, change and list nodes"""
    user, wallet = world.user, world.wallet
    assert user.update_node(wallet.id, {'nickname': 'For rain'}).body['info']['nickname'] == 'For rain'
    assert user.get_node(wallet.id, full_dehydrate=True, force_refresh=True).body['info']['nickname'] == 'For rain'
    nodes = user.get_all_nodes(page=1, per_page=10, type='ACH-US')
    is_page(nodes, nodes.list_of_nodes, 5)
    nodes = world.client.get_all_nodes(page=1, per_page=2)
    is_page(nodes, nodes.list_of_nodes, nodes.node_count)


def micro_deposits():
    """micro-deposits: again, wrong, right"""
    user, bank = world.user, world.bank
    assert user.reinit_micro(bank.id)['allowed'] == 'CREDIT'
    refused(errors.IncorrectValues, user.verify_micro, bank.id, {'micro': [0.1, 0.2]})
    refused(errors.PayloadError, user.verify_micro, bank.id, {'micro': [0.1]})
    assert user.verify_micro(bank.id, {'micro': [0.1, 0.1]}).body['allowed'] == 'CREDIT-AND-DEBIT'
    refused(errors.ActionNotAllowed, user.verify_micro, bank.id, {'micro': [0.1, 0.1]})


def dummy_transaction():
    """money from outside, simulated"""
    assert world.user.dummy_tran(world.wallet.id, is_credit=True)['success'] is True


def pay():
    """pay, once"""
    user, wallet, bank, key = world.user, world.wallet, world.bank, fresh_key()
    body = {
        'to': {'type': 'ACH-US', 'id': bank.id},
        'amount': {'amount': 1.1, 'currency': 'USD'},
        'extra': {'ip': IP, 'note': 'Test transaction', 'process_on': 1},
    }
    world.payment = user.create_trans(wallet.id, body, idempotency_key=key)
    assert world.payment.body['recent_status']['status'] == 'CREATED'
    refused(errors.IncorrectValues, user.create_trans, wallet.id, body, idempotency_key=key)


def read_payment():
    """get it, comment on it, cancel it"""
    user, wallet, payment = world.user, world.wallet, world.payment
    assert user.get_trans(wallet.id, payment.id).body['amount'] == {'amount': 1.1, 'currency': 'USD'}
    assert user.comment_trans(wallet.id, payment.id, 'hi')['recent_status']['note'].endswith(' hi')
    assert user.cancel_trans(wallet.id, payment.id)['recent_status']['status'] == 'CANCELED'
    refused(errors.ObjectNotFound, user.get_trans, wallet.id, 'no-such-transaction')


def list_payments():
    """list transactions of the node, the user and the platform"""
    user, wallet = world.user, world.wallet
    of_node = user.get_all_node_trans(wallet.id, page=1, per_page=5)
    is_page(of_node, of_node.list_of_trans, 2)
    of_user = user.get_all_trans(page=1, per_page=5)
    is_page(of_user, of_user.list_of_trans, of_user.trans_count)
    of_platform = world.client.get_all_trans(page=1, per_page=2)
    is_page(of_platform, of_platform.list_of_trans, of_platform.trans_count)


def subnets():
    """subnets"""
    user, wallet = world.user, world.wallet
    subnet = user.create_subnet(wallet.id, {'nickname': 'Test Subnet'}, idempotency_key=fresh_key())
    assert user.get_subnet(wallet.id, subnet.id).body['nickname'] == 'Test Subnet'
    assert user.update_subnet(wallet.id, subnet.id, {'allowed': 'LOCKED'}).body['allowed'] == 'LOCKED'
    listed = user.get_all_subnets(wallet.id, page=1, per_page=5)
    is_page(listed, listed.list_of_subnets, 1)


def subscriptions():
    """subscriptions"""
    client = world.client
    made = client.create_subscription('https://example.com/hooks', SCOPE, idempotency_key=fresh_key())
    assert client.get_subscription(made.id).url == 'https://example.com/hooks'
    assert client.update_subscription(made.id, {'is_active': False}).body['is_active'] is False
    listed = client.get_all_subs(page=1, per_page=1)
    is_page(listed, listed.list_of_subs, listed.subscriptions_count)


def statements():
    """statements of a node and of the user"""
    user, wallet = world.user, world.wallet
    simulate('clock/advance', {'seconds': 31 * 86_400})
    of_node = user.get_node_statements(wallet.id, page=1, per_page=5)
    assert of_node['statements'][-1]['node_id'] == wallet.id, of_node
    of_user = user.get_statements(page=1, per_page=1)
    assert (of_user['limit'], of_user['statements']) == (1, of_node['statements'][:1]), of_user
    assert of_user['statements_count'] == of_node['statements_count'] > 0


def public_keys():
    """public keys, of the platform and about one user"""
    key = world.client.issue_public_key(['USERS|GET', 'USER|GET'])
    assert key['expires_in'] == '900' and key['public_key'].startswith('public_key_')
    assert set(key['scope']) == {'USERS|GET', 'USER|GET'}, key['scope']
    key = world.client.issue_public_key(['USER|GET'], user_id=world.user.id)
    assert key['scope'] == ['USER|GET'], key['scope']
    refused(errors.PayloadError, world.client.issue_public_key, ['NO|SCOPE'])


def outside():
    """banks to log in at, and what subscriptions were told"""
    assert 'fake' in [bank['bank_code'] for bank in world.client.get_all_inst()['banks']]
    assert isinstance(world.client.webhook_logs()['logs'], list)


def delete_node():
    """delete a node"""
    assert world.user.delete_node(world.wallet.id)['is_active'] is False


FLOWS = [
    make_user, authenticate, register_device, change_user, find_users, make_nodes, list_nodes, micro_deposits,
    dummy_transaction, pay, read_payment, list_payments, subnets, subscriptions, statements, public_keys, outside,
    delete_node,
]

if __name__ == '__main__':
    os.environ['NO_PROXY'] = '*'
    sys.exit(steps.run(FLOWS, [*steps.methods_of(Client), *steps.methods_of(User)], Path(__file__).parent))
