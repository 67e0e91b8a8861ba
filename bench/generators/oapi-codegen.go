// What oapi-codegen's client does with the service. PETSTORE_URL and PETSTORE_KEY say which.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"regexp"

	"example.com/bench/petstore"
)

const big = 9007199254740993

var next = regexp.MustCompile(`[?&]cursor=([^&>]+).*rel="next"`)

func check(good bool, what ...any) {
	if !good {
		panic(fmt.Sprintln(what...))
	}
}

func refused(status int, code string, body *petstore.Error, err error) {
	check(err == nil && body != nil, "no typed error", err)
	check(int(body.Status) == status && body.Code == code, *body)
}

func client(key string) *petstore.ClientWithResponses {
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	made, err := petstore.NewClientWithResponses(os.Getenv("PETSTORE_URL"), petstore.WithRequestEditorFn(authorize))
	check(err == nil, err)
	return made
}

func main() {
	ctx := context.Background()
	pets := client(os.Getenv("PETSTORE_KEY"))

	var made []*petstore.Pet
	for i := range 3 {
		body := petstore.NewPet{Name: fmt.Sprint("Rex ", i), CategoryId: big}
		answer, err := pets.CreatePetWithResponse(ctx, nil, body)
		check(err == nil && answer.JSON201 != nil, err)
		made = append(made, answer.JSON201)
	}
	fmt.Println("create")

	seen := map[int64]petstore.Pet{}
	limit := 2
	for params := (petstore.ListPetsParams{Limit: &limit}); ; {
		page, err := pets.ListPetsWithResponse(ctx, &params)
		check(err == nil && page.JSON200 != nil, err)
		for _, pet := range *page.JSON200 {
			seen[pet.Id] = pet
		}
		link := next.FindStringSubmatch(page.HTTPResponse.Header.Get("Link"))
		if link == nil {
			break
		}
		params.Cursor = &link[1]
	}
	for _, pet := range made {
		check(seen[pet.Id].Name == pet.Name, "not listed", pet.Id)
	}
	fmt.Println("list")

	got, err := pets.GetPetWithResponse(ctx, made[0].Id, nil)
	check(err == nil && got.JSON200 != nil && got.JSON200.CategoryId == big, err)
	fmt.Println("get")
	gone, err := pets.DeletePetWithResponse(ctx, made[0].Id, nil)
	check(err == nil && gone.StatusCode() == 204, err)
	fmt.Println("delete")
	got, err = pets.GetPetWithResponse(ctx, made[0].Id, nil)
	refused(404, "not_found", got.JSON404, err)
	page, err := client("pk_live_wrong").ListPetsWithResponse(ctx, nil)
	refused(401, "unauthorized", page.JSON401, err)
	cursor := "x"
	page, err = pets.ListPetsWithResponse(ctx, &petstore.ListPetsParams{Cursor: &cursor})
	refused(400, "invalid_cursor", page.JSON400, err)
	fmt.Println("errors")
}
