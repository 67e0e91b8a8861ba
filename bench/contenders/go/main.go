// net/http with database/sql and go-sqlite3: the standard library's router, JSON and pool, as its documentation has them.
package main

import (
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strconv"

	_ "github.com/mattn/go-sqlite3"
)

const schema = `
  CREATE TABLE IF NOT EXISTS pets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    category_id INTEGER NOT NULL,
    status TEXT NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS pets_by_status ON pets (status);`

const columns = "SELECT id, name, category_id, status FROM pets"

// The same log and the same commits as the other contenders: what contenders/schema.ts calls DURABLE.
const durable = "_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000"

type pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
}

type newPet struct {
	Name       string  `json:"name"`
	CategoryID *int64  `json:"categoryId"`
	Status     *string `json:"status"`
}

type server struct {
	list, listByStatus, get, create *sql.Stmt
}

func main() {
	path := required("BENCH_DATA")
	reads := open(path)
	// SQLite has one writer: creates wait for each other here, and not for its lock.
	writes := open(path)
	writes.SetMaxOpenConns(1)
	must(writes.Exec(schema))
	s := server{
		list:         must(reads.Prepare(columns + " ORDER BY id LIMIT ?")),
		listByStatus: must(reads.Prepare(columns + " WHERE status = ? ORDER BY id LIMIT ?")),
		get:          must(reads.Prepare(columns + " WHERE id = ?")),
		create:       must(writes.Prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)")),
	}
	routes := http.NewServeMux()
	routes.HandleFunc("GET /v1/pets", s.listPets)
	routes.HandleFunc("GET /v1/pets/{petId}", s.getPet)
	routes.HandleFunc("POST /v1/pets", s.createPet)
	handler := bearer(required("BENCH_KEY"), routes)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+required("BENCH_PORT"), handler))
}

func bearer(key string, next http.Handler) http.Handler {
	expected := []byte("Bearer " + key)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), expected) != 1 {
			refuse(w, http.StatusUnauthorized, "unauthorized")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *server) listPets(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	limit := 20
	if text := query.Get("limit"); text != "" {
		given, err := strconv.Atoi(text)
		if err != nil || given < 1 || given > 100 {
			refuse(w, http.StatusBadRequest, "limit is 1 to 100")
			return
		}
		limit = given
	}
	var rows *sql.Rows
	var err error
	if status := query.Get("status"); status == "" {
		rows, err = s.list.QueryContext(r.Context(), limit)
	} else if !isStatus(status) {
		refuse(w, http.StatusBadRequest, "status is available, pending or sold")
		return
	} else {
		rows, err = s.listByStatus.QueryContext(r.Context(), status, limit)
	}
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	defer rows.Close()
	page := make([]pet, 0, limit)
	for rows.Next() {
		var one pet
		if err := rows.Scan(&one.ID, &one.Name, &one.CategoryID, &one.Status); err != nil {
			refuse(w, http.StatusInternalServerError, err.Error())
			return
		}
		page = append(page, one)
	}
	if err := rows.Err(); err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	answer(w, http.StatusOK, page)
}

func (s *server) getPet(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("petId"), 10, 64)
	if err != nil {
		refuse(w, http.StatusBadRequest, "petId is a whole number")
		return
	}
	var one pet
	err = s.get.QueryRowContext(r.Context(), id).Scan(&one.ID, &one.Name, &one.CategoryID, &one.Status)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		refuse(w, http.StatusNotFound, "not found")
	case err != nil:
		refuse(w, http.StatusInternalServerError, err.Error())
	default:
		answer(w, http.StatusOK, one)
	}
}

func (s *server) createPet(w http.ResponseWriter, r *http.Request) {
	var body newPet
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&body); err != nil {
		refuse(w, http.StatusBadRequest, err.Error())
		return
	}
	status := "available"
	if body.Status != nil {
		status = *body.Status
	}
	if body.Name == "" || len(body.Name) > 255 || body.CategoryID == nil || !isStatus(status) {
		refuse(w, http.StatusBadRequest, "a pet has a name of 1 to 255 characters, a categoryId and a status")
		return
	}
	made, err := s.create.ExecContext(r.Context(), body.Name, *body.CategoryID, status)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	id, _ := made.LastInsertId()
	answer(w, http.StatusCreated, pet{id, body.Name, *body.CategoryID, status})
}

func isStatus(text string) bool {
	return text == "available" || text == "pending" || text == "sold"
}

func refuse(w http.ResponseWriter, status int, why string) {
	answer(w, status, map[string]string{"error": why})
}

func answer(w http.ResponseWriter, status int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

func open(path string) *sql.DB {
	return must(sql.Open("sqlite3", "file:"+path+"?"+durable))
}

func required(name string) string {
	value := os.Getenv(name)
	if value == "" {
		log.Fatal(name + " is not set: the benchmark starts this program")
	}
	return value
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
