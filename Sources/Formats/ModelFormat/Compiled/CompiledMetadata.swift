/// The content of the file `metadata.json` in a compiled ML Program, in the form of Apple's compiler. The file holds a
/// list with one entry. Most numbers of the entry are strings.
struct CompiledMetadata: Codable {
  /// An input, an output or a state.
  struct Feature: Codable {
    var name: String
    var type: String
    var shortDescription: String?
    var isOptional: String?
    var formattedType: String?
    // Only arrays and states have the next two fields.
    var dataType: String?
    var shape: String?
    var hasShapeFlexibility: String?
    var shapeFlexibility: String?
    var shapeRange: String?
    var enumeratedShapes: String?
    // Only images have the next fields.
    var width: String?
    var height: String?
    var colorspace: String?
    var isColor: String?
    var hasSizeFlexibility: String?
    var sizeFlexibility: String?
    var sizeRange: String?
    // Only dictionaries have the next field.
    var keyType: String?
  }

  /// A function of the model. The file lists functions only if the model's description declares functions.
  struct Function: Codable {
    var name: String
    var inputSchema: [Feature]?
    var outputSchema: [Feature]?
    var stateSchema: [Feature]?
    var computePrecision: String?
    var mlProgramOperationTypeHistogram: [String: Int]?
  }

  struct ModelType: Codable {
    var name: String
  }

  /// A parameter of the model, in any JSON form. Decoding ignores the parameter's content. Encoding writes nothing.
  struct Parameter: Codable {
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
  }

  var metadataOutputVersion: String? = "3.0"
  var shortDescription: String?
  var author: String?
  var license: String?
  var version: String?
  var userDefinedMetadata: [String: String]?
  var specificationVersion: Int32?
  var isUpdatable: String? = "0"
  var method: String? = "predict"
  var generatedClassName: String?
  var modelType: ModelType? = ModelType(name: "MLModelType_mlProgram")
  var modelParameters: [Parameter]? = []
  var availability: [String: String]?
  var inputSchema: [Feature]?
  var outputSchema: [Feature]?
  var stateSchema: [Feature]?
  var functions: [Function]?
  var defaultFunctionName: String?
  var storagePrecision: String?
  var computePrecision: String?
  var mlProgramOperationTypeHistogram: [String: Int]?
  /// A note of this project's compiler: `format` is `atelier`, and `formatVersion` is the version of the folder's
  /// layout. Nil if another compiler made the folder.
  var format: String?
  var formatVersion: Int?

  init() {}

  /// The parts of the model's description that this file contains.
  var modelDescription: Spec.ModelDescription {
    .making { description in
      description.metadata = .making { metadata in
        metadata.shortDescription = shortDescription ?? ""
        metadata.author = author ?? ""
        metadata.license = license ?? ""
        metadata.versionString = version ?? ""
        metadata.userDefined = userDefinedMetadata ?? [:]
      }
      if let functions, !functions.isEmpty {
        description.functions = functions.map { function in
          .making {
            $0.name = function.name
            $0.input = (function.inputSchema ?? []).map(\.message)
            $0.output = (function.outputSchema ?? []).map(\.message)
            $0.state = (function.stateSchema ?? []).map(\.message)
          }
        }
        description.defaultFunctionName = defaultFunctionName ?? functions[0].name
      } else {
        description.input = (inputSchema ?? []).map(\.message)
        description.output = (outputSchema ?? []).map(\.message)
        description.state = (stateSchema ?? []).map(\.message)
      }
    }
  }
}
