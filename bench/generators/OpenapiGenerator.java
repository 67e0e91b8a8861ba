import java.util.HashMap;
import java.util.List;
import java.util.ArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import petstore.ApiClient;
import petstore.ApiException;
import petstore.ApiResponse;
import petstore.api.PetsApi;
import petstore.model.NewPet;
import petstore.model.Pet;

/** What openapi-generator's Java client does with the service. PETSTORE_URL and PETSTORE_KEY say which. */
public class OpenapiGenerator {
  private static final long BIG = 9007199254740993L;
  private static final Pattern NEXT = Pattern.compile("[?&]cursor=([^&>]+).*rel=\"next\"");

  private interface Call {
    void run() throws ApiException;
  }

  private static void check(boolean good, Object what) {
    if (!good) throw new AssertionError(what);
  }

  private static void refused(int status, String code, Call call) {
    try {
      call.run();
    } catch (ApiException error) {
      petstore.model.Error body = error.getErrorObject();
      check(error.getCode() == status && body.getStatus() == status && body.getCode().equals(code), error);
      return;
    }
    throw new AssertionError("no " + status);
  }

  private static PetsApi api(String key) {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("PETSTORE_URL"));
    client.setBearerToken(key);
    return new PetsApi(client);
  }

  public static void main(String[] arguments) throws ApiException {
    PetsApi pets = api(System.getenv("PETSTORE_KEY"));
    List<Pet> made = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      made.add(pets.createPet(new NewPet().name("Rex " + i).categoryId(BIG), null, null, null, null));
    }
    System.out.println("create");

    HashMap<Long, Pet> seen = new HashMap<>();
    for (String cursor = null;;) {
      ApiResponse<List<Pet>> page = pets.listPetsWithHttpInfo(2, null, cursor, null, null, null);
      for (Pet pet : page.getData()) seen.put(pet.getId(), pet);
      List<String> links = page.getHeaders().get("link");
      Matcher link = NEXT.matcher(links == null ? "" : links.get(0));
      if (!link.find()) break;
      cursor = link.group(1);
    }
    for (Pet pet : made) check(pet.equals(seen.get(pet.getId())), pet);
    System.out.println("list");

    Long id = made.get(0).getId();
    check(pets.getPet(id, null, null, null).getCategoryId() == BIG, "other digits");
    System.out.println("get");
    pets.deletePet(id, null, null, null);
    System.out.println("delete");
    refused(404, "not_found", () -> pets.getPet(id, null, null, null));
    refused(401, "unauthorized", () -> api("pk_live_wrong").listPets(null, null, null, null, null, null));
    refused(400, "invalid_cursor", () -> pets.listPets(null, null, "x", null, null, null));
    System.out.println("errors");
    System.exit(0);
  }
}
