import Engine
import Foundation
import ModelFormat

/// Reads the examples for the training of a network. Converts the inputs and targets to float32.
struct NetworkExamples {
  /// The training feature that contains the expected output of the network.
  enum Target {
    /// An array of numbers.
    case numbers(name: String, count: Int)
    /// A class, by label or by index.
    case label(name: String, ClassLabels?, count: Int)
  }

  /// The values of an example: its inputs, in the order of the network's inputs, and its target.
  struct Example {
    let inputs: [[Float]]
    /// The numbers of the target. If the target is a class, this is a one-hot vector.
    let target: [Float]
  }

  private let inputs: [NetworkInput]
  private let shapes: [Shape]
  private let images: [Graph.ImagePort?]
  private let target: Target
  private let examples: TrainingExamples
  private var cache: [Int: Example] = [:]

  /// The maximum memory in bytes for cached examples. If all examples together need more memory, the reader caches no
  /// examples.
  private static let cacheLimit = 256 << 20
  /// Whether the reader caches each example after reading it.
  private let usesCache: Bool

  init(
    _ examples: TrainingExamples, inputs: [NetworkInput], shapes: [Shape],
    images: [Graph.ImagePort?], target: Target
  ) {
    self.inputs = inputs
    self.shapes = shapes
    self.images = images
    self.target = target
    self.examples = examples
    let each: Int = shapes.map(\.count).reduce(0, +) + target.count
    let (total, overflows) = (each * 4).multipliedReportingOverflow(by: examples.count)
    usesCache = !overflows && total <= NetworkExamples.cacheLimit
  }

  /// The number of examples.
  var count: Int { examples.count }

  /// The example with the given index. The message of an error contains the index.
  subscript(index: Int) -> Example {
    mutating get throws {
      if let known = cache[index] { return known }
      let example: Example = try examples.read(index, read)
      if usesCache { cache[index] = example }
      return example
    }
  }

  private func read(_ features: any MLFeatureProvider) throws -> Example {
    var values: [[Float]] = []
    for (number, input) in inputs.enumerated() {
      let value: MLFeatureValue? = try input.value(in: features)
      let shape: Shape = try input.tensorType(for: value).shape
      guard shape == shapes[number] else {
        throw MLModelError(
          .featureType,
          "The input feature \"\(input.name)\" has the shape \(shape), but training expects the declared one,"
            + " \(shapes[number]).")
      }
      values.append(try input.floats(of: value, shape, image: images[number]))
    }
    return Example(inputs: values, target: try target.floats(in: features))
  }
}

extension NetworkExamples.Target {
  /// The number of values in the network's output.
  var count: Int {
    switch self {
    case .numbers(_, let count), .label(_, _, let count): count
    }
  }

  fileprivate func floats(in features: any MLFeatureProvider) throws -> [Float] {
    switch self {
    case .numbers(let name, let count):
      let numbers: [Double] = try TrainingExamples.value(name, of: features).numbers(name: name)
      guard numbers.count == count else {
        throw MLModelError(
          .featureType,
          "The target \"\(name)\" has \(numbers.count) values, but the network computes \(count).")
      }
      return numbers.map { Float($0) }
    case .label(let name, let labels, let count):
      let position: Int = try self.position(
        of: try TrainingExamples.value(name, of: features), name, labels)
      guard (0..<count).contains(position) else {
        throw MLModelError(
          .featureType,
          "The target \"\(name)\" is class \(position), but the network has \(count) classes.")
      }
      var shares: [Float] = Array(repeating: 0, count: count)
      shares[position] = 1
      return shares
    }
  }

  /// Returns the index of the class that a target value names. If `labels` is nil, the value itself is the index.
  private func position(
    of value: MLFeatureValue, _ name: String, _ labels: ClassLabels?
  ) throws -> Int {
    let found: Int?
    switch (labels, value.type) {
    case (.strings(let labels)?, .string): found = labels.firstIndex(of: value.stringValue)
    case (.integers(let labels)?, .int64): found = labels.firstIndex(of: value.int64Value)
    case (nil, _):
      let number: Double? = try value.numbers(name: name).first
      found = number.flatMap { Int(exactly: $0) }
    default:
      throw MLModelError(
        .featureType,
        "The target \"\(name)\" is \(value.type.sentenceName), but the model's class labels are of another type."
      )
    }
    guard let found else {
      throw MLModelError(
        .featureType,
        "The target \"\(name)\" is \(value.labelText), which is not a class of the model.")
    }
    return found
  }
}

extension MLFeatureValue {
  /// The value of a label as text for error messages.
  fileprivate var labelText: String {
    switch type {
    case .string: "'\(stringValue)'"
    case .int64: "\(int64Value)"
    default: "\(doubleValue)"
    }
  }
}
