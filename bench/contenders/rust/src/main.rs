//! axum with rusqlite. Reads run where the request does, on a connection of the thread; creates wait for the disk
//! elsewhere (`spawn_blocking`), so that nobody else waits with them.

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State, rejection::JsonRejection, rejection::QueryRejection},
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{
    cell::OnceCell,
    env,
    sync::{Arc, Mutex},
    time::Duration,
};
use subtle::ConstantTimeEq;

const SCHEMA: &str = "
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);";

/// The same log and the same commits as the other contenders.
const DURABLE: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;";

const LIST: &str = "SELECT id, name, category_id, status FROM pets ORDER BY id LIMIT ?";
const LIST_BY_STATUS: &str =
    "SELECT id, name, category_id, status FROM pets WHERE status = ? ORDER BY id LIMIT ?";
const GET: &str = "SELECT id, name, category_id, status FROM pets WHERE id = ?";
const CREATE: &str = "INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)";

#[derive(Serialize)]
struct Pet {
    id: i64,
    name: String,
    #[serde(rename = "categoryId")]
    category_id: i64,
    status: Status,
}

#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    #[default]
    Available,
    Pending,
    Sold,
}

impl Status {
    fn name(self) -> &'static str {
        match self {
            Status::Available => "available",
            Status::Pending => "pending",
            Status::Sold => "sold",
        }
    }
}

#[derive(Deserialize)]
struct NewPet {
    name: String,
    #[serde(rename = "categoryId")]
    category_id: i64,
    #[serde(default)]
    status: Status,
}

#[derive(Deserialize)]
struct PageQuery {
    limit: Option<i64>,
    status: Option<Status>,
}

struct Shop {
    path: String,
    authorization: String,
    /// SQLite has one writer: creates wait for each other here, and not for its lock.
    writer: Mutex<Connection>,
}

/// What a request is refused with.
struct Refusal(StatusCode, String);

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

impl From<rusqlite::Error> for Refusal {
    fn from(error: rusqlite::Error) -> Self {
        Refusal(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
    }
}

impl From<JsonRejection> for Refusal {
    fn from(rejection: JsonRejection) -> Self {
        Refusal(StatusCode::BAD_REQUEST, rejection.body_text())
    }
}

impl From<QueryRejection> for Refusal {
    fn from(rejection: QueryRejection) -> Self {
        Refusal(StatusCode::BAD_REQUEST, rejection.body_text())
    }
}

#[tokio::main]
async fn main() {
    let path = required("BENCH_DATA");
    let writer = open(&path).expect("the database opens");
    writer.execute_batch(SCHEMA).expect("the table is made");
    let shop = Arc::new(Shop {
        path,
        authorization: format!("Bearer {}", required("BENCH_KEY")),
        writer: Mutex::new(writer),
    });
    let routes = Router::new()
        .route("/v1/pets", get(list_pets).post(create_pet))
        .route("/v1/pets/{pet_id}", get(get_pet))
        .layer(from_fn_with_state(shop.clone(), bearer))
        .with_state(shop);
    let address = format!("127.0.0.1:{}", required("BENCH_PORT"));
    let listener = tokio::net::TcpListener::bind(address).await.expect("the port is free");
    axum::serve(listener, routes).await.expect("the server runs");
}

async fn bearer(State(shop): State<Arc<Shop>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    if bool::from(given.ct_eq(shop.authorization.as_bytes())) {
        next.run(request).await
    } else {
        Refusal(StatusCode::UNAUTHORIZED, "unauthorized".into()).into_response()
    }
}

async fn list_pets(
    State(shop): State<Arc<Shop>>,
    query: Result<Query<PageQuery>, QueryRejection>,
) -> Result<Json<Vec<Pet>>, Refusal> {
    let Query(PageQuery { limit, status }) = query?;
    let limit = limit.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        return Err(Refusal(StatusCode::BAD_REQUEST, "limit is 1 to 100".into()));
    }
    shop.read(|db| match status {
        None => db.prepare_cached(LIST)?.query_map([limit], pet_of)?.collect(),
        Some(status) => db
            .prepare_cached(LIST_BY_STATUS)?
            .query_map(params![status.name(), limit], pet_of)?
            .collect(),
    })
    .map(Json)
}

async fn get_pet(
    State(shop): State<Arc<Shop>>,
    Path(pet_id): Path<i64>,
) -> Result<Json<Pet>, Refusal> {
    let found = shop.read(|db| db.prepare_cached(GET)?.query_row([pet_id], pet_of).optional())?;
    found.map(Json).ok_or_else(|| Refusal(StatusCode::NOT_FOUND, "not found".into()))
}

async fn create_pet(
    State(shop): State<Arc<Shop>>,
    body: Result<Json<NewPet>, JsonRejection>,
) -> Result<(StatusCode, Json<Pet>), Refusal> {
    let Json(NewPet { name, category_id, status }) = body?;
    if name.is_empty() || name.chars().count() > 255 {
        return Err(Refusal(StatusCode::BAD_REQUEST, "a name has 1 to 255 characters".into()));
    }
    let made = tokio::task::spawn_blocking(move || -> rusqlite::Result<Pet> {
        let db = shop.writer.lock().expect("no create panics");
        db.prepare_cached(CREATE)?.execute(params![name, category_id, status.name()])?;
        Ok(Pet { id: db.last_insert_rowid(), name, category_id, status })
    });
    let pet = made.await.expect("no create panics")?;
    Ok((StatusCode::CREATED, Json(pet)))
}

impl Shop {
    /// Reads on the connection of this thread.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Refusal> {
        thread_local!(static OWN: OnceCell<Connection> = const { OnceCell::new() });
        OWN.with(|own| {
            let db = match own.get() {
                Some(db) => db,
                None => own.get_or_init(|| open(&self.path).expect("the database opens")),
            };
            Ok(work(db)?)
        })
    }
}

fn pet_of(row: &Row) -> rusqlite::Result<Pet> {
    let status = match row.get_ref(3)?.as_str()? {
        "pending" => Status::Pending,
        "sold" => Status::Sold,
        _ => Status::Available,
    };
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status })
}

fn open(path: &str) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.busy_timeout(Duration::from_secs(5))?;
    db.execute_batch(DURABLE)?;
    Ok(db)
}

fn required(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("{name} is not set: the benchmark starts this program"))
}
