"""What openapi-python-client's client does with the service. PETSTORE_URL and PETSTORE_KEY say which."""

import os
import re

from petstore_client import AuthenticatedClient
from petstore_client.api.pets import create_pet, delete_pet, get_pet, list_pets
from petstore_client.models import Error, NewPet
from petstore_client.types import UNSET

BIG = 9007199254740993


def client(key):
    return AuthenticatedClient(base_url=os.environ["PETSTORE_URL"], token=key)


def refused(status, code, answer):
    assert isinstance(answer.parsed, Error), answer
    assert (answer.status_code, answer.parsed.status, answer.parsed.code) == (status, status, code), answer


petstore = client(os.environ["PETSTORE_KEY"])
made = [
    create_pet.sync(client=petstore, body=NewPet(name=f"Rex {i}", category_id=BIG)) for i in range(3)
]
print("create")

seen, cursor = {}, UNSET
while True:
    page = list_pets.sync_detailed(client=petstore, limit=2, cursor=cursor)
    seen.update({pet.id: pet for pet in page.parsed})
    link = re.search(r"[?&]cursor=([^&>]+).*rel=\"next\"", page.headers.get("link") or "")
    if link is None:
        break
    cursor = link[1]
assert all(seen[pet.id] == pet for pet in made)
print("list")

assert get_pet.sync(made[0].id, client=petstore).category_id == BIG
print("get")
gone = delete_pet.sync_detailed(made[0].id, client=petstore)
assert (gone.status_code, gone.parsed) == (204, None)
print("delete")
refused(404, "not_found", get_pet.sync_detailed(made[0].id, client=petstore))
refused(401, "unauthorized", list_pets.sync_detailed(client=client("pk_live_wrong")))
refused(400, "invalid_cursor", list_pets.sync_detailed(client=petstore, cursor="x"))
print("errors")
