"""What openapi-generator's Python client does with the service. PETSTORE_URL and PETSTORE_KEY say which."""

import os
import re

import petstore_client as petstore
from petstore_client.exceptions import ApiException

BIG = 9007199254740993


def api(key):
    configuration = petstore.Configuration(host=os.environ["PETSTORE_URL"], access_token=key)
    return petstore.PetsApi(petstore.ApiClient(configuration))


def refused(status, code, call):
    try:
        call()
    except ApiException as error:
        assert isinstance(error.data, petstore.Error), error
        assert (error.status, error.data.status, error.data.code) == (status, status, code), error
    else:
        raise AssertionError(f"no {status}")


pets = api(os.environ["PETSTORE_KEY"])
made = [pets.create_pet(petstore.NewPet(name=f"Rex {i}", category_id=BIG)) for i in range(3)]
print("create")

seen, cursor = {}, None
while True:
    page = pets.list_pets_with_http_info(limit=2, cursor=cursor)
    seen.update({pet.id: pet for pet in page.data})
    link = re.search(r"[?&]cursor=([^&>]+).*rel=\"next\"", page.headers.get("link") or "")
    if link is None:
        break
    cursor = link[1]
assert all(seen[pet.id] == pet for pet in made)
print("list")

assert pets.get_pet(made[0].id).category_id == BIG
print("get")
assert pets.delete_pet(made[0].id) is None
print("delete")
refused(404, "not_found", lambda: pets.get_pet(made[0].id))
refused(401, "unauthorized", lambda: api("pk_live_wrong").list_pets())
refused(400, "invalid_cursor", lambda: pets.list_pets(cursor="x"))
print("errors")
