import Foundation
import Graph
import ModelFormat
import Operators

/// Metadata properties of a model's inputs and outputs. They state facts that ONNX's types cannot express.
///
/// Images follow ONNX's own conventions: the denotation of the type is `IMAGE`, and properties name the channel order
/// and the range of the samples. Keys that begin with `atelier.` state facts for which ONNX has no convention: ranges
/// of extents, the classes of a classifier, and the channel order of each image that differs from the first image.
///
/// **Source:** docs/MetadataProps.md and docs/TypeDenotation.md of ONNX.
struct PortMetadata {
  /// The denotation of an image's type.
  static let picture = "IMAGE"
  /// The denotations of an image's four dimensions.
  static let pictureAxes = ["DATA_BATCH", "DATA_CHANNEL", "DATA_FEATURE", "DATA_FEATURE"]

  private static let format = "Image.BitmapPixelFormat"
  private static let range = "Image.NominalPixelRange"
  private static let gamma = "Image.ColorSpaceGamma"
  private static let prefix = "atelier."
  private static let orders: [(String, Graph.ImagePort.ColorOrder)] = [
    ("Rgb8", .rgb), ("Bgr8", .bgr), ("Gray8", .gray), ("Rgba8", .rgb), ("Bgra8", .bgr),
  ]

  /// The properties by key.
  private(set) var properties: [String: String] = [:]

  /// Returns whether this type writes properties with this key. Other properties belong to the model's author.
  static func holds(_ key: String) -> Bool {
    key.hasPrefix(prefix) || [format, range, gamma].contains(key)
  }

  // MARK: - Reading

  /// Reads the properties from a file's entries.
  init(_ entries: [ONNX.StringStringEntryProto]) {
    for entry in entries where Self.holds(entry.key) { properties[entry.key] = entry.value }
  }

  /// Applies the properties to a model that has been read. Ignores properties that do not fit the model.
  ///
  /// - Parameters:
  ///   - isPicture: Returns whether the input or output with this name has the denotation of an image.
  ///   - isStated: Returns whether the caller stated the extents of the input with this name.
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

  /// Returns the image format of an input or output. The samples range from 0 to 255 unless the properties say
  /// otherwise.
  private func port(_ name: String, isInput: Bool) -> Graph.ImagePort {
    let label: String = properties[Self.prefix + "colours." + name] ?? properties[Self.format] ?? ""
    let order = Self.orders.first { $0.0 == label }?.1 ?? .rgb
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
    func key(_ label: String) -> String { Self.prefix + label + "." + feature.name }
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

  /// Makes the properties that describe a model.
  init(of model: GraphModel) throws {
    let graph: Graph = model.graph
    let held: [Graph.ImagePort?] =
      graph.inputs.map { graph.imageInputs[$0] } + graph.outputs.map { graph.imageOutputs[$0] }
    let pictures: [(String, Graph.ImagePort)] = zip(model.inputs + model.outputs, held)
      .compactMap { feature, held in (feature.image ?? held).map { (feature.name, $0) } }
    if let first = pictures.first {
      properties[Self.format] = Self.label(first.1.order)
      properties[Self.range] = "NominalRange_0_255"
      properties[Self.gamma] = "SRGB"
      for (name, port) in pictures where port.order != first.1.order {
        properties[Self.prefix + "colours." + name] = Self.label(port.order)
      }
    }
    for feature in model.inputs {
      let extents: [Extent] = feature.extents ?? []
      func note(_ label: String, _ text: String) {
        properties[Self.prefix + label + "." + feature.name] = text
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

  private static func label(_ order: Graph.ImagePort.ColorOrder) -> String {
    orders.first { $0.1 == order }?.0 ?? ""
  }
}

extension Extent {
  /// The extent in the form in which a property states it: `3`, `64-1024` or `64-`.
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
