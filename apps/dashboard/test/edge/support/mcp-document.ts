/** A small API with what a tool has to resolve. */
export const LONG_TEXT = `Long 😀 text. ${'A sentence about pets. '.repeat(2_000)}`;

export const PETS = `{
  "openapi": "3.1.0",
  "info": { "title": "Pet shop", "version": "1" },
  "servers": [{ "url": "https://api.pets.example/v1" }],
  "security": [{ "key": [] }],
  "paths": {
    "/pets/{petId}": {
      "parameters": [
        { "$ref": "#/components/parameters/PetId" },
        { "name": "trace", "in": "header", "schema": { "type": "string" } }
      ],
      "get": {
        "operationId": "getPet",
        "summary": "Get a pet",
        "parameters": [
          { "name": "trace", "in": "header", "description": "The operation's own.", "schema": { "type": "string" } }
        ],
        "responses": {
          "200": {
            "description": "The pet",
            "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Pet" } } }
          },
          "404": { "$ref": "#/components/responses/NotFound" }
        }
      },
      "put": {
        "operationId": "putPet",
        "summary": "Replace a pet",
        "security": [],
        "requestBody": {
          "content": {
            "application/json": {
              "schema": { "$ref": "#/components/schemas/Pet", "description": "The new one." },
              "example": { "$ref": "#/components/schemas/Problem", "id": 9007199254740993 }
            }
          }
        },
        "responses": { "204": { "description": "Done" } }
      },
      "delete": { "operationId": "hidden", "x-internal": true, "responses": { "204": { "description": "Done" } } }
    },
    "/shared": { "$ref": "#/components/pathItems/Shared" },
    "/long": {
      "get": { "operationId": "long", "description": ${JSON.stringify(LONG_TEXT)}, "responses": { "204": { "description": "Done" } } }
    }
  },
  "webhooks": {
    "petSold": {
      "post": { "operationId": "onPetSold", "summary": "A pet was sold", "responses": { "204": { "description": "Done" } } }
    }
  },
  "components": {
    "parameters": {
      "PetId": {
        "name": "petId", "in": "path", "required": true,
        "schema": { "type": "integer", "format": "int64", "maximum": 9223372036854775807 }
      }
    },
    "pathItems": {
      "Shared": { "get": { "operationId": "getShared", "responses": { "204": { "description": "Done" } } } }
    },
    "responses": {
      "NotFound": {
        "description": "No such pet",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Problem" } } }
      }
    },
    "schemas": {
      "Pet": {
        "type": "object",
        "properties": {
          "id": { "type": "integer", "format": "int64", "examples": [9007199254740993] },
          "$ref": { "type": "string" },
          "category": { "$ref": "#/components/schemas/Category" }
        }
      },
      "Category": {
        "type": "object",
        "properties": {
          "name": { "type": "string" },
          "parent": { "$ref": "#/components/schemas/Category" }
        }
      },
      "Problem": { "type": "object", "properties": { "code": { "type": "string", "enum": ["gone"] } } }
    },
    "securitySchemes": { "key": { "type": "apiKey", "name": "X-Key", "in": "header" } }
  }
}`;
