import Engine
import ModelFormat
import NeuralNetworkFormat
import Operators

extension StyleNetwork {
  /// The element type in which a model stores its weights.
  public enum Storage: Sendable {
    /// The precision of training. A training can continue from such a model without losing precision.
    case float32
    /// Half the size of float32, for models whose training is finished.
    case float16
  }

  /// The metadata of a model.
  public struct Description: Sendable {
    /// The description of the style.
    public var summary: String
    /// The author of the model.
    public var author: String
    /// The licence.
    public var license: String
    /// The version of the model.
    public var version: String
    /// Further entries by key.
    public var additional: [String: String]

    /// Creates a description.
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

  /// The metadata key of the algorithm.
  public static let algorithmKey = "atelier.algorithm"

  /// Writes the network as a Core ML model. The input is a picture of any size, and the output is the painting in the
  /// same size. If the network has several styles, their weights are a second input, an array of one number per style.
  public func model(
    storage: Storage = .float16, description words: Description = Description()
  ) throws -> Spec.Model {
    let builder = GraphBuilder()
    let side = Extent(from: architecture.smallestSide)
    let picture: Graph.ValueID = builder.addInput(
      StyleArchitecture.inputName, extents: [1, 3, side, side], element: .uint8, held: .float32,
      image: Self.port,
      summary: "The picture to paint, of any size.")
    let styles: Graph.ValueID? = try architecture.styleCount == 0 ? nil : addStyles(to: builder)
    let painting: Graph.ValueID = try add(
      to: builder, reading: picture, styles: styles, storage: storage)
    builder.addOutput(
      painting, name: StyleArchitecture.outputName, image: Graph.ImagePort(.rgb),
      summary: "The painting, of the picture's size.")
    var model: GraphModel = builder.model()
    // The painting is cropped to the picture's size. Shape inference cannot derive this for named dynamic axes.
    model.outputs[0].extents = model.inputs[0].extents
    model.metadata = metadata(words)
    return try Spec.Model(neuralNetwork: model, edition: .oldest)
  }

  /// Builds the graph of the network. Its input is `[N, 3, height, width]` of −1…1, and its output is the painting,
  /// 0…255. If the network has several styles, their weights `[N, styles, 1, 1]` are a second input.
  func graph() throws -> Graph {
    let builder = GraphBuilder()
    let picture: Graph.ValueID = builder.addInput(
      StyleArchitecture.inputName, extents: [Extent(from: 1), 3, Extent(from: 1), Extent(from: 1)])
    let styles: Graph.ValueID? =
      architecture.styleCount == 0
      ? nil
      : builder.addInput(
        StyleArchitecture.stylesName,
        extents: [Extent(from: 1), Extent(architecture.styleCount), 1, 1])
    let painting: Graph.ValueID = try add(
      to: builder, reading: picture, styles: styles, storage: .float32)
    builder.addOutput(painting, name: StyleArchitecture.outputName)
    return builder.graph
  }

  /// Adds the input with one number per style to a model. Returns the weights as `[1, styles, 1, 1]`.
  private func addStyles(to builder: GraphBuilder) throws -> Graph.ValueID {
    let count: Int = architecture.styleCount
    let weights: Graph.ValueID = builder.addInput(
      StyleArchitecture.stylesName, extents: [Extent(count)],
      summary: "The weight of each style. For one style, its weight is 1 and the others are 0.")
    return try builder.add(
      ReshapeStaticOperator(targetShape: [1, count, 1, 1]), [weights], name: "style_weights")[0]
  }

  /// Adds the layers to a graph. Returns the painting.
  private func add(
    to builder: GraphBuilder, reading picture: Graph.ValueID, styles: Graph.ValueID?,
    storage: Storage
  ) throws -> Graph.ValueID {
    var numbers: [StyleParameter: Constant] = [:]
    for (parameter, values) in zip(parameters, values) {
      numbers[parameter] = Self.constant(Shape(parameter.shape), values, storage)
    }
    var made: [String: Graph.ValueID] = [StyleArchitecture.inputName: picture]
    made[StyleArchitecture.stylesName] = styles
    var last: Graph.ValueID = picture
    for layer in architecture.layers {
      var inputs: [Graph.ValueID] = layer.inputs.compactMap { made[$0] }
      for parameter in layer.parameters {
        guard let constant = numbers[parameter] else {
          preconditionFailure("a network has the parameters of its architecture")
        }
        inputs.append(
          builder.addConstant(constant, name: "\(layer.name)/\(parameter.role.rawValue)"))
      }
      for (part, shape, value) in layer.constants {
        let values = [Float](repeating: value, count: shape.count)
        inputs.append(
          builder.addConstant(Constant(shape, values), name: "\(layer.name)/\(part)"))
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

  /// The conversion of the picture's samples from 0…255 to −1…1.
  private static let port = Graph.ImagePort(
    .rgb, scale: [1, 1, 1].map { $0 / 127.5 }, bias: [-1, -1, -1])
}
