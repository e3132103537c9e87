import Arguments
import CaffeFormat
import Engine
import Foundation

/// The options for classifying pictures with a network whose input is an array: how pixels become numbers, and the
/// names of the classes.
struct PictureClassifier {
  static let declarations: [CommandSyntax.Option] = [
    .init(
      "mean", value: "B,G,R|FILE",
      help: "For networks of other formats that take numbers: the mean to\n"
        + "subtract from each channel, in the order of the channels, or a\n"
        + "file (.binaryproto)."
    ),
    .init(
      "scale", value: "X",
      help: "The factor for the samples 0…255, after the mean is subtracted\n(default: 1)."),
    .init(
      "order", value: "bgr|rgb", choices: ["bgr", "rgb"],
      help: "The order of the channels of such networks (default: bgr)."),
    .init(
      "labels", value: "FILE",
      help:
        "The names of the classes, one per line, in the model's order;\n"
        + "they replace the model's labels."
    ),
  ]

  private let mean: [Float]
  private let scale: Float
  private let order: Graph.ImagePort.ColorOrder
  private let labels: [String]?
  /// The names of the given options among `--mean`, `--scale` and `--order`.
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

  /// Throws if `--mean`, `--scale` or `--order` is given, because a model with a picture input converts pixels itself.
  func checkTakesNumbers(_ name: String) throws {
    guard let option = given.first else { return }
    throw UsageError(
      "--\(option) is for networks that take numbers; '\(name)' takes pictures and converts them"
        + " itself. Leave out --\(option)."
    )
  }

  /// Maps the class labels of the model to the names from `--labels`. Returns nil if the option is missing, or if the
  /// names in it equal the class labels.
  func names(inPlaceOf classes: [String], of model: String) throws -> [String: String]? {
    guard let labels, labels != classes else { return nil }
    guard labels.count == classes.count else {
      throw CommandError(
        "There are \(labels.count) labels, but '\(model)' has \(classes.count) classes; give one per line."
      )
    }
    return Dictionary(zip(classes, labels)) { first, _ in first }
  }

  /// Returns the network with a picture as input and class labels as output, even if the network's file declares only
  /// arrays.
  func applied(to model: GraphModel, name: String) throws -> GraphModel {
    var model: GraphModel = model
    if model.inputs.first?.image != nil {
      try checkTakesNumbers(name)
    } else {
      guard model.inputs.count == 1, let extents = model.inputs[0].extents, extents.count == 4,
        let channels = extents[1].fixed, channels == 1 || channels == 3
      else {
        throw CommandError(
          "The network's input is no picture, expected 1 × 3 × height × width or 1 × 1 × height ×"
            + " width.")
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
