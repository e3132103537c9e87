import Engine
import ModelFormat
import NeuralNetworkFormat
import Operators

extension StyleNetwork {
  /// How a model's weights are stored.
  public enum Storage: Sendable {
    /// As they are trained.
    case float32
    /// Half the size; for models to keep.
    case float16
  }

  /// What a model says about itself.
  public struct Description: Sendable {
    /// What the style is.
    public var summary: String
    /// Who made the model.
    public var author: String
    /// Under which terms it may be used.
    public var license: String
    /// The version of the model.
    public var version: String
    /// What else there is to say, by key.
    public var additional: [String: String]

    /// A description.
    public init(
      summary: String = "Paints pictures in a style.", author: String = "", license: String = "",
      version: String = "1", additional: [String: String] = [:]
    ) {
      self.summary = summary
      self.author = author
      self.license = license
      self.version = version
      self.additional = additional
    }
  }

  /// The key of the metadata that tells the algorithm.
  public static let algorithmKey = "atelier.algorithm"

  /// The network as a Core ML model: a picture of any size in, a painting of the same size out.
  public func model(
    storage: Storage = .float16, description words: Description = Description()
  ) throws -> Spec.Model {
    let builder = GraphBuilder()
    let side = Extent(from: architecture.smallestSide)
    let picture: Graph.ValueID = builder.addInput(
      StyleArchitecture.inputName, extents: [1, 3, side, side], element: .uint8, held: .float32,
      image: Self.port,
      summary: "The picture to paint, of any size.")
    let painting: Graph.ValueID = try add(to: builder, reading: picture, storage: storage)
    builder.addOutput(
      painting, name: StyleArchitecture.outputName, image: Graph.ImagePort(.rgb),
      summary: "The painting, of the picture's size.")
    var model: GraphModel = builder.model()
    // Cropped to the picture's size, which type rules state of numbers and not of names.
    model.outputs[0].extents = model.inputs[0].extents
    model.metadata = metadata(words)
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }

  /// The network as a graph whose input is `[N, 3, height, width]` of −1…1 and whose output is the
  /// painting, 0…255.
  func graph() throws -> Graph {
    let builder = GraphBuilder()
    let picture: Graph.ValueID = builder.addInput(
      StyleArchitecture.inputName, extents: [Extent(from: 1), 3, Extent(from: 1), Extent(from: 1)])
    let painting: Graph.ValueID = try add(to: builder, reading: picture, storage: .float32)
    builder.addOutput(painting, name: StyleArchitecture.outputName)
    return builder.graph
  }

  /// Adds the layers to a graph; what they make of the picture.
  private func add(
    to builder: GraphBuilder, reading picture: Graph.ValueID, storage: Storage
  ) throws -> Graph.ValueID {
    var numbers: [StyleParameter: Constant] = [:]
    for (parameter, values) in zip(parameters, values) {
      numbers[parameter] = Self.constant(Shape(parameter.shape), values, storage)
    }
    var made: [String: Graph.ValueID] = [StyleArchitecture.inputName: picture]
    var last: Graph.ValueID = picture
    for layer in architecture.layers {
      var inputs: [Graph.ValueID] = layer.inputs.compactMap { made[$0] }
      for parameter in layer.parameters {
        guard let constant = numbers[parameter] else {
          preconditionFailure("a network has the numbers of its architecture")
        }
        inputs.append(
          builder.addConstant(constant, name: "\(layer.name)/\(parameter.role.rawValue)"))
      }
      for (part, value) in layer.numbers {
        inputs.append(
          builder.addConstant(Constant([1, 1, 1], [value]), name: "\(layer.name)/\(part)"))
      }
      last = try builder.add(layer.operation, inputs, name: layer.name)[0]
      made[layer.name] = last
    }
    return last
  }

  private static func constant(_ shape: Shape, _ values: [Float], _ storage: Storage) -> Constant {
    guard storage == .float16 else { return Constant(shape, values) }
    return Constant(TensorType(shape), StoredValues(ByteValues(float16: values), of: .float16))
  }

  private func metadata(_ words: Description) -> GraphModel.Metadata {
    var metadata = GraphModel.Metadata()
    metadata.summary = words.summary
    metadata.author = words.author
    metadata.license = words.license
    metadata.version = words.version
    metadata.other = words.additional
    metadata.other[Self.algorithmKey] = algorithm.rawValue
    metadata.other["com.apple.coreml.model.preview.type"] = "styleTransfer"
    return metadata
  }

  /// 0…255 becomes −1…1.
  private static let port = Graph.ImagePort(
    .rgb, scale: [1, 1, 1].map { $0 / 127.5 }, bias: [-1, -1, -1])
}
