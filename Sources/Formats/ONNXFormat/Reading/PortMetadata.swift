import Foundation
import Graph
import ModelFormat
import Operators

/// What a model's metadata properties say of its inputs and outputs, for which the types of ONNX have no words.
///
/// Pictures are described as the format's own list says: their type's denotation is `IMAGE`, and properties name
/// the order of colours and the range of samples. Keys that begin with `atelier.` hold the rest: colours of a
/// picture that has not those of the first, ranges of extents, and the classes of a classifier.
///
/// **Source:** docs/MetadataProps.md and docs/TypeDenotation.md of ONNX.
struct BorderNotes {
  /// The denotation of a picture's type.
  static let picture = "IMAGE"
  /// What the four dimensions of a picture are denoted by.
  static let pictureAxes = ["DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE"]

  private static let format = "Image.BitmapPixelFormat"
  private static let range = "Image.NominalPixelRange"
  private static let gamma = "Image.ColorSpaceGamma"
  private static let prefix = "atelier."
  private static let orders: [(String, Graph.ImagePort.ColorOrder)] = [
    ("Rgb8", .rgb), ("Bgr8", .bgr), ("Gray8", .gray), ("Rgba8", .rgb), ("Bgra8", .bgr),
  ]

  /// The properties by their keys.
  private(set) var properties: [String: String] = [:]

  /// Whether a property is one of these, and none of the author's.
  static func holds(_ key: String) -> Bool {
    key.hasPrefix(prefix) || [format, range, gamma].contains(key)
  }

  // MARK: - Reading

  /// What the properties of a file say.
  init(_ entries: [ONNX.StringStringEntryProto]) {
    for entry in entries where Self.holds(entry.key) { properties[entry.key] = entry.value }
  }

  /// Tells a model that was read what the properties say; what does not fit it is left out.
  ///
  /// - Parameters:
  ///   - isPicture: whether an input or output of this name is denoted as a picture.
  ///   - isStated: whether the caller said which extents an input of this name has.
  func apply(
    to model: inout GraphModel, isPicture: (String) -> Bool, isStated: (String) -> Bool
  ) {
    let given: [GraphModel.Feature] = model.inputs
    for (position, feature) in given.enumerated() {
      if isPicture(feature.name) {
        let port: Graph.ImagePort = port(feature.name, isInput: true)
        try? model.makePicture(ofInput: position, port)
      }
      if !isStated(feature.name) { restoreExtents(of: &model.inputs[position]) }
    }
    if given.map(\.extents) != model.inputs.map(\.extents) { model.inferOutputs() }
    for (position, feature) in model.outputs.enumerated() where isPicture(feature.name) {
      try? model.makePicture(ofOutput: position, port(feature.name, isInput: false))
    }
    restoreClasses(of: &model)
  }

  /// The picture that a name stands for: samples of 0…255 unless the properties say otherwise.
  private func port(_ name: String, isInput: Bool) -> Graph.ImagePort {
    let word: String = properties[Self.prefix + "colours." + name] ?? properties[Self.format] ?? ""
    let order = Self.orders.first { $0.0 == word }?.1 ?? .rgb
    var port = Graph.ImagePort(order)
    let (scale, bias): (Float, Float) =
      switch properties[Self.range] {
      case "Normalized_0_1": (1 / 255, 0)
      case "Normalized_1_1": (2 / 255, -1)
      case "NominalRange_16_235": (219 / 255, 16)
      default: (1, 0)
      }
    port.scale = port.scale.map { _ in isInput ? scale : 1 / scale }
    port.bias = port.bias.map { _ in isInput ? bias : -bias / scale }
    return port
  }

  private func restoreExtents(of feature: inout GraphModel.Feature) {
    guard let extents = feature.extents else { return }
    func key(_ word: String) -> String { Self.prefix + word + "." + feature.name }
    func fits(_ sizes: [Int]) -> Bool {
      sizes.count == extents.count
        && zip(sizes, extents).allSatisfy { size, extent in
          (0...1 << 40).contains(size) && (extent.fixed.map { $0 == size } ?? true)
        }
    }
    if let text = properties[key("usual")] {
      let usual: [Int] = text.split(separator: " ").compactMap { Int($0) }
      if fits(usual) { feature.usual = usual }
    }
    if let text = properties[key("choices")] {
      let choices: [[Int]] = text.split(separator: ",").map {
        $0.split(separator: " ").compactMap { Int($0) }
      }
      if choices.allSatisfy(fits) { feature.choices = choices }
    }
    if let text = properties[key("ranges")] {
      let ranges: [Extent] = text.split(separator: " ").compactMap(Extent.init(note:))
      if fits(ranges.map(\.lower)) {
        feature.extents = zip(extents, ranges).map { $0.fixed == nil ? $1 : $0 }
      }
    }
  }

  private func restoreClasses(of model: inout GraphModel) {
    guard let text = properties[Self.prefix + "classes"],
      let labels = try? JSONDecoder().decode([String].self, from: Data(text.utf8)),
      let name = properties[Self.prefix + "classes.output"],
      let output = model.outputs.firstIndex(where: { $0.name == name })
    else { return }
    if let sizes = model.outputs[output].extents?.map(\.fixed),
      sizes.contains(where: { $0 == nil }) || sizes.compactMap({ $0 }).product != labels.count
    {
      return
    }
    let label: String = properties[Self.prefix + "classes.label"] ?? "classLabel"
    guard !(model.inputs + model.outputs).map(\.name).contains(label) else { return }
    model.classes = GraphModel.Classes(labels, output: output, labelName: label)
    model.classes?.areNumbers = properties[Self.prefix + "classes.numbers"] == "1"
  }

  // MARK: - Writing

  /// What is to be said of a model.
  init(of model: GraphModel) throws {
    let graph: Graph = model.graph
    let held: [Graph.ImagePort?] =
      graph.inputs.map { graph.imageInputs[$0] } + graph.outputs.map { graph.imageOutputs[$0] }
    let pictures: [(String, Graph.ImagePort)] = zip(model.inputs + model.outputs, held)
      .compactMap { feature, held in (feature.image ?? held).map { (feature.name, $0) } }
    if let first = pictures.first {
      properties[Self.format] = Self.word(first.1.order)
      properties[Self.range] = "NominalRange_0_255"
      properties[Self.gamma] = "SRGB"
      for (name, port) in pictures where port.order != first.1.order {
        properties[Self.prefix + "colours." + name] = Self.word(port.order)
      }
    }
    for feature in model.inputs {
      let extents: [Extent] = feature.extents ?? []
      func note(_ word: String, _ text: String) {
        properties[Self.prefix + word + "." + feature.name] = text
      }
      if extents.contains(where: { $0.fixed == nil && ($0.lower > 1 || $0.upper != nil) }) {
        note("ranges", extents.map(\.note).joined(separator: " "))
      }
      guard extents.contains(where: { $0.fixed == nil }) else { continue }
      if let usual = feature.usual { note("usual", usual.map(String.init).joined(separator: " ")) }
      if !feature.choices.isEmpty {
        note(
          "choices",
          feature.choices.map { $0.map(String.init).joined(separator: " ") }.joined(separator: ","))
      }
    }
    if let classes = model.classes {
      let labels: Data = try JSONEncoder().encode(classes.labels)
      properties[Self.prefix + "classes"] = String(decoding: labels, as: UTF8.self)
      properties[Self.prefix + "classes.output"] = model.outputs[classes.output].name
      properties[Self.prefix + "classes.label"] = classes.labelName
      if classes.areNumbers { properties[Self.prefix + "classes.numbers"] = "1" }
    }
  }

  private static func word(_ order: Graph.ImagePort.ColorOrder) -> String {
    orders.first { $0.1 == order }?.0 ?? ""
  }
}

extension Extent {
  /// `3`, `64-1024` or `64-`.
  fileprivate var note: String {
    fixed.map(String.init) ?? "\(lower)-\(upper.map(String.init) ?? "")"
  }

  fileprivate init?(note: Substring) {
    let parts: [Substring] = note.split(
      separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard let lower = parts.first.flatMap({ Int($0) }), (0...1 << 40).contains(lower) else {
      return nil
    }
    if parts.count == 1 {
      self.init(lower)
    } else if parts[1].isEmpty {
      self.init(from: lower)
    } else {
      guard let upper = Int(parts[1]), upper >= lower else { return nil }
      self.init(from: lower, to: upper)
    }
  }
}
