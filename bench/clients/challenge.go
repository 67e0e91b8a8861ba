// One of the service's challenges with openapi-generator's Go client, as it comes. PETSTORE_URL and PETSTORE_KEY say
// where, the argument says which.
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"time"

	petstore "example.com/bench/petstore"
)

var next = regexp.MustCompile(`[?&]cursor=([^&>]+).*rel="next"`)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("PETSTORE_URL")}}
	configuration.HTTPClient = &http.Client{Timeout: 4 * time.Second}
	client := petstore.NewAPIClient(configuration)
	pets := client.PetsAPI
	ctx := context.WithValue(context.Background(), petstore.ContextAccessToken, os.Getenv("PETSTORE_KEY"))

	listAll := func(limit int32) (found []petstore.Pet) {
		for request := pets.ListPets(ctx).Limit(limit); ; {
			page, answer, err := request.Execute()
			check(err)
			found = append(found, page...)
			link := next.FindStringSubmatch(answer.Header.Get("Link"))
			if link == nil {
				return found
			}
			request = request.Cursor(link[1])
		}
	}
	add := func(name string, categoryId int64) {
		_, _, err := pets.CreatePet(ctx).PetInput(*petstore.NewPetInput(name, categoryId)).Execute()
		check(err)
	}
	practice := func(count int) {
		for i := 1; i <= count; i++ {
			add(fmt.Sprint("Practice ", i), 1)
		}
	}

	switch os.Args[1] {
	case "big-ids":
		for _, pet := range listAll(100) {
			if pet.Name == "Exact" {
				add("Copy", pet.CategoryId)
			}
		}
	case "add-once":
		practice(5)
	case "quota":
		practice(10)
	case "twins":
		for range 3 {
			body := *petstore.NewPetInput("Twin", 1)
			_, _, err := pets.CreatePet(ctx).PetInput(body).IdempotencyKey(rand.Text()).Execute()
			check(err)
		}
	case "poll":
		for range 6 {
			_, _, err := pets.ListPets(ctx).Limit(20).Status(petstore.AVAILABLE).Execute()
			check(err)
		}
	case "manners":
		for range 10 {
			_, _, err := client.CategoriesAPI.ListCategories(ctx).Execute()
			check(err)
		}
	case "bad-hour":
		practice(12)
		listAll(5)
	default:
		listAll(10)
	}
}
