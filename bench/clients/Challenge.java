import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petstore.ApiClient;
import petstore.ApiException;
import petstore.ApiResponse;
import petstore.api.CategoriesApi;
import petstore.api.PetsApi;
import petstore.model.NewPet;
import petstore.model.Pet;
import petstore.model.PetStatus;

/**
 * One of the service's challenges with openapi-generator's Java client, as it comes. PETSTORE_URL and PETSTORE_KEY say
 * where, the argument says which.
 */
public class Challenge {
  private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+).*rel=\"next\"");
  private static PetsApi pets;

  private static List<Pet> listAll(int limit) throws ApiException {
    List<Pet> found = new ArrayList<>();
    for (String cursor = null;;) {
      ApiResponse<List<Pet>> page = pets.listPetsWithHttpInfo(limit, null, cursor, null, null);
      found.addAll(page.getData());
      List<String> links = page.getHeaders().get("link");
      Matcher link = NEXT.matcher(links == null ? "" : links.get(0));
      if (!link.find()) return found;
      cursor = link.group(1);
    }
  }

  private static void add(String name, long categoryId, String key) throws ApiException {
    pets.createPet(new NewPet().name(name).categoryId(categoryId), key, null, null);
  }

  private static void practice(int count) throws ApiException {
    for (int i = 1; i <= count; i++) add("Practice " + i, 1, null);
  }

  public static void main(String[] arguments) throws ApiException {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("PETSTORE_URL"));
    client.setBearerToken(System.getenv("PETSTORE_KEY"));
    client.setReadTimeout(4_000);
    pets = new PetsApi(client);
    try {
      run(arguments[0], client);
      System.exit(0);
    } catch (ApiException error) {
      System.err.println(error);
      System.exit(1);
    }
  }

  private static void run(String code, ApiClient client) throws ApiException {
    switch (code) {
      case "big-ids":
        for (Pet pet : listAll(100)) {
          if (pet.getName().equals("Exact")) add("Copy", pet.getCategoryId(), null);
        }
        break;
      case "add-once":
        practice(5);
        break;
      case "quota":
        practice(10);
        break;
      case "twins":
        for (int i = 0; i < 3; i++) add("Twin", 1, UUID.randomUUID().toString());
        break;
      case "poll":
        for (int i = 0; i < 6; i++) pets.listPets(20, PetStatus.AVAILABLE, null, null, null);
        break;
      case "manners":
        for (int i = 0; i < 10; i++) new CategoriesApi(client).listCategories(null, null, null, null);
        break;
      case "bad-hour":
        practice(12);
        listAll(5);
        break;
      default:
        listAll(10);
    }
  }
}
