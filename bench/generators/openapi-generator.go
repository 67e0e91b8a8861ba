// What openapi-generator's Go client does with the service. PETSTORE_URL and PETSTORE_KEY say which.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"regexp"

	petstore "example.com/bench/petstore"
)

const big = 9007199254740993

var next = regexp.MustCompile(`[?&]cursor=([^&>]+).*rel="next"`)

func check(good bool, what ...any) {
	if !good {
		panic(fmt.Sprintln(what...))
	}
}

func refused(status int32, code string, answer *http.Response, err error) {
	var failed *petstore.GenericOpenAPIError
	check(errors.As(err, &failed), "no error", err)
	body, ok := failed.Model().(petstore.Error)
	check(ok && answer.StatusCode == int(status) && body.Status == status && body.Code == code, err)
}

func main() {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("PETSTORE_URL")}}
	pets := petstore.NewAPIClient(configuration).PetsAPI
	with := func(key string) context.Context {
		return context.WithValue(context.Background(), petstore.ContextAccessToken, key)
	}
	ctx := with(os.Getenv("PETSTORE_KEY"))

	var made []*petstore.Pet
	for i := range 3 {
		pet, _, err := pets.CreatePet(ctx).PetInput(*petstore.NewPetInput(fmt.Sprint("Rex ", i), big)).Execute()
		check(err == nil, err)
		made = append(made, pet)
	}
	fmt.Println("create")

	seen := map[int64]petstore.Pet{}
	for request := pets.ListPets(ctx).Limit(2); ; {
		page, answer, err := request.Execute()
		check(err == nil, err)
		for _, pet := range page {
			seen[pet.Id] = pet
		}
		link := next.FindStringSubmatch(answer.Header.Get("Link"))
		if link == nil {
			break
		}
		request = request.Cursor(link[1])
	}
	for _, pet := range made {
		check(seen[pet.Id].Name == pet.Name, "not listed", pet.Id)
	}
	fmt.Println("list")

	pet, _, err := pets.GetPet(ctx, made[0].Id).Execute()
	check(err == nil && pet.CategoryId == big, err)
	fmt.Println("get")
	_, err = pets.DeletePet(ctx, made[0].Id).Execute()
	check(err == nil, err)
	fmt.Println("delete")
	_, answer, err := pets.GetPet(ctx, made[0].Id).Execute()
	refused(404, "not_found", answer, err)
	_, answer, err = pets.ListPets(with("pk_live_wrong")).Execute()
	refused(401, "unauthorized", answer, err)
	_, answer, err = pets.ListPets(ctx).Cursor("x").Execute()
	refused(400, "invalid_cursor", answer, err)
	fmt.Println("errors")
}
