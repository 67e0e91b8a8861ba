//! What progenitor's client does with the service. PETSTORE_URL and PETSTORE_KEY say which.

use petstore_client::{types, Client, Error};
use reqwest::header::{HeaderMap, HeaderValue, AUTHORIZATION};
use std::{collections::HashMap, env, num::NonZeroU64};

const BIG: i64 = 9007199254740993;

fn client(key: &str) -> Client {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {key}")).unwrap());
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    Client::new_with_client(&env::var("PETSTORE_URL").unwrap(), http)
}

fn refused<T: std::fmt::Debug>(status: u16, code: &str, answer: Result<T, Error<types::Error>>) {
    match answer {
        Err(Error::ErrorResponse(failed)) => {
            assert_eq!(failed.status(), status);
            assert_eq!((failed.status as u16, failed.code.as_str()), (status, code));
        }
        other => panic!("no typed error: {other:?}"),
    }
}

/// The cursor in a `Link` header with `rel="next"`.
fn next(headers: &HeaderMap) -> Option<types::ListPetsCursor> {
    let link = headers.get("link")?.to_str().ok()?;
    let (_, rest) = link.split_once("cursor=")?;
    rest.split(['&', '>']).next()?.parse().ok()
}

#[tokio::main]
async fn main() {
    let pets = client(&env::var("PETSTORE_KEY").unwrap());
    let mut made = Vec::new();
    for i in 0..3 {
        let name = format!("Rex {i}").parse().unwrap();
        let body = types::NewPet { name, category_id: BIG, status: types::PetStatus::Available };
        made.push(pets.create_pet(None, None, None, None, &body).await.unwrap().into_inner());
    }
    println!("create");

    let mut seen = HashMap::new();
    let mut cursor = None;
    let limit = NonZeroU64::new(2);
    loop {
        let page = pets.list_pets(cursor.as_ref(), limit, None, None, None, None).await.unwrap();
        cursor = next(page.headers());
        for pet in page.into_inner().0 {
            seen.insert(pet.id, pet);
        }
        if cursor.is_none() {
            break;
        }
    }
    for pet in &made {
        assert_eq!(seen[&pet.id].category_id, pet.category_id);
    }
    println!("list");

    let id = made[0].id;
    assert_eq!(pets.get_pet(id, None, None, None).await.unwrap().category_id, BIG);
    println!("get");
    pets.delete_pet(id, None, None, None).await.unwrap();
    println!("delete");
    refused(404, "not_found", pets.get_pet(id, None, None, None).await);
    refused(401, "unauthorized", client("pk_live_wrong").list_pets(None, None, None, None, None, None).await);
    let cursor = "x".parse().unwrap();
    refused(400, "invalid_cursor", pets.list_pets(Some(&cursor), None, None, None, None, None).await);
    println!("errors");
}
