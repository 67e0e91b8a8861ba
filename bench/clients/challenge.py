"""One of the service's challenges with openapi-generator's Python client, as it comes.

PETSTORE_URL and PETSTORE_KEY say where, the argument says which.
"""

import os
import re
import sys
import uuid

import petstore_client as petstore

configuration = petstore.Configuration(
    host=os.environ["PETSTORE_URL"], access_token=os.environ["PETSTORE_KEY"]
)
api = petstore.ApiClient(configuration)
pets = petstore.PetsApi(api)
LIMIT = {"_request_timeout": 4}


def list_all(limit):
    found, cursor = [], None
    while True:
        page = pets.list_pets_with_http_info(limit=limit, cursor=cursor, **LIMIT)
        found += page.data
        link = re.search(r"[?&]cursor=([^&>]+).*rel=\"next\"", page.headers.get("link") or "")
        if link is None:
            return found
        cursor = link[1]


def add(name, category_id=1, **options):
    pets.create_pet(petstore.NewPet(name=name, category_id=category_id), **options, **LIMIT)


def practice(count):
    for i in range(1, count + 1):
        add(f"Practice {i}")


def copy_exact():
    exact = next(pet for pet in list_all(100) if pet.name == "Exact")
    add("Copy", exact.category_id)


def twins():
    for _ in range(3):
        add("Twin", idempotency_key=str(uuid.uuid4()))


def poll():
    for _ in range(6):
        pets.list_pets(limit=20, status=petstore.PetStatus.AVAILABLE, **LIMIT)


def manners():
    for _ in range(10):
        petstore.CategoriesApi(api).list_categories(**LIMIT)


def bad_hour():
    practice(12)
    list_all(5)


TASKS = {
    "big-ids": copy_exact,
    "add-once": lambda: practice(5),
    "quota": lambda: practice(10),
    "twins": twins,
    "poll": poll,
    "manners": manners,
    "bad-hour": bad_hour,
}
TASKS.get(sys.argv[1], lambda: list_all(10))()
