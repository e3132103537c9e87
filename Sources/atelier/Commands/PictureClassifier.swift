import Arguments
import CaffeFormat
import Engine
import Foundation

/// What the command line says of a network that takes numbers and shall classify pictures: how a picture becomes
/// numbers, and what the classes are called.
struct PictureClassifier {
  static let declarations: [CommandSyntax.Option] = [
    .init(
      "mean", value: "B,G,R|FILE",
      help: "For networks of other formats that take numbers: what is\n"
        + "subtracted from each channel, as numbers in the order of\nthe channels or a file (.binaryproto)."
    ),
    .init(
      "scale", value: "X",
      help: "What samples of 0 to 255 are multiplied by first; 1 unless\ntold otherwise."),
    .init(
      "order", value: "bgr|rgb",
      help: "The order of the channels of such networks; bgr unless told\notherwise."),
    .init(
      "labels", value: "FILE",
      help:
        "The names of the classes, one per line, in the order of the\nmodel's; in the place of those that the model has."
    ),
  ]

  private let mean: [Float]
  private let scale: Float
  private let order: Graph.ImagePort.ColorOrder
  private let labels: [String]?
  /// The options that say how numbers are made of a picture, as far as they are given.
  private let given: [String]

  /// Reads the options.
  init(_ arguments: ParsedArguments) throws {
    given = ["mean", "scale", "order"].filter { arguments.has($0) }
    let words: String = arguments.value("mean") ?? "0"
    if FileManager.default.fileExists(atPath: words) {
      mean = try CaffeReader.means(in: URL(fileURLWithPath: words))
    } else {
      let parts: [Substring] = words.split(separator: ",", omittingEmptySubsequences: false)
      mean = try parts.map { part in
        guard let number = Float(part), number.isFinite else {
          throw UsageError(
            "--mean is '\(words)', expected numbers such as 103.939,116.779,123.68, or a file.")
        }
        return number
      }
    }
    let factor: String = arguments.value("scale") ?? "1"
    guard let number = Float(factor), number.isFinite, number != 0 else {
      throw UsageError("--scale is '\(factor)', expected a number.")
    }
    scale = number
    order = try arguments.choice("order", of: ["bgr", "rgb"]) == "rgb" ? .rgb : .bgr
    labels = try arguments.value("labels").map { path in
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw CommandError("Labels '\(path)' cannot be read as text.")
      }
      return text.split(whereSeparator: \.isNewline).map(String.init)
    }
  }

  /// Checks that no option says how numbers are made of a picture for a model that takes pictures itself.
  func checkTakesNumbers(_ name: String) throws {
    guard let option = given.first else { return }
    throw UsageError(
      "--\(option) is for networks that take numbers; '\(name)' takes pictures and says itself how it reads them."
    )
  }

  /// The names of the classes in the place of those of a model, by these; nil where the command line names none.
  func names(inPlaceOf classes: [String], of model: String) throws -> [String: String]? {
    guard let labels, labels != classes else { return nil }
    guard labels.count == classes.count else {
      throw CommandError(
        "There are \(labels.count) labels, but '\(model)' has \(classes.count) classes; give one per line."
      )
    }
    return Dictionary(zip(classes, labels)) { first, _ in first }
  }

  /// A network that takes pictures and gives classes, where it only takes and gives numbers.
  func applied(to model: GraphModel, name: String) throws -> GraphModel {
    var model: GraphModel = model
    if model.inputs.first?.image != nil {
      try checkTakesNumbers(name)
    } else {
      guard model.inputs.count == 1, let extents = model.inputs[0].extents, extents.count == 4,
        let channels = extents[1].fixed, channels == 1 || channels == 3
      else {
        throw CommandError("The network takes no picture: 1 × 3 × height × width, or one channel.")
      }
      guard mean.count == 1 || mean.count == channels else {
        throw CommandError(
          "--mean has \(mean.count) numbers, but the network takes \(channels) channels.")
      }
      let means = mean.count == channels ? mean : [Float](repeating: mean[0], count: channels)
      let port = Graph.ImagePort(
        channels == 1 ? .gray : order, scale: [Float](repeating: scale, count: channels),
        bias: means.map { -$0 * scale })
      model.inputs[0].image = port
      model.graph.imageInputs[model.graph.inputs[0]] = port
    }
    if model.classes == nil {
      guard let output = model.outputs.indices.last,
        let count = model.outputs[output].extents.map({ $0.compactMap(\.fixed).reduce(1, *) })
      else { throw CommandError("The network's output has no known number of classes.") }
      if let labels, labels.count != count {
        throw CommandError(
          "There are \(labels.count) labels, but the network gives \(count) probabilities.")
      }
      model.classes = GraphModel.Classes(
        labels ?? (0..<count).map { "class \($0)" }, output: output)
    }
    return model
  }
}
