import Arguments
import CoreML
import Foundation
import Imaging

/// Examples whose labels are known, for judging a classifier: a folder of pictures for each label, or
/// a table. They are read one by one.
struct LabelledExamples {
  /// One example.
  struct Example {
    /// The picture's file, or the table's row.
    let source: String
    /// The right label.
    let label: String
    /// The picture's file; nil for a row.
    let picture: String?
    fileprivate let texts: [String: String]
  }

  /// The examples in the order of their files' names or rows.
  let examples: [Example]

  private let inputs: [String: MLFeatureDescription]
  private let cropAndScale: CropAndScale

  /// Finds the examples of a folder or table.
  init(_ path: String, for model: MLModelDescription, cropAndScale: CropAndScale) throws {
    inputs = model.inputDescriptionsByName
    self.cropAndScale = cropAndScale
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw CommandError("Examples '\(path)': there is no such folder or table. Check the path.")
    }
    let labels = LabelNames(model)
    examples =
      isFolder.boolValue
      ? try Self.folder(path, inputs, labels) : try Self.table(path, model, labels)
  }

  /// The inputs of an example.
  func features(of example: Example) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for (name, text) in example.texts {
      guard let input = inputs[name] else { continue }
      values[name] = try InputValue.make(
        text, input, cropAndScale: cropAndScale, source: "'\(name)' of \(example.source)")
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  /// The folders within a folder and the pictures in each, by name.
  static func labelledPictures(in path: String) throws -> [(label: String, pictures: [String])] {
    let manager = FileManager.default
    var found: [(label: String, pictures: [String])] = []
    for name in try manager.contentsOfDirectory(atPath: path).sorted() where !name.hasPrefix(".") {
      let folder = (path as NSString).appendingPathComponent(name)
      var isFolder: ObjCBool = false
      guard manager.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
        continue
      }
      let pictures: [String] = try manager.contentsOfDirectory(atPath: folder).sorted()
        .filter { file in
          !file.hasPrefix(".")
            && PhotoList.extensions.contains(URL(fileURLWithPath: file).pathExtension.lowercased())
        }
        .map { (folder as NSString).appendingPathComponent($0) }
      if !pictures.isEmpty { found.append((name, pictures)) }
    }
    guard !found.isEmpty else {
      throw CommandError(
        "Folder '\(path)' has no examples: expected a folder for each label with pictures in it.")
    }
    return found
  }

  private static func folder(
    _ path: String, _ inputs: [String: MLFeatureDescription], _ labels: LabelNames
  ) throws -> [Example] {
    let needed = inputs.values.filter { !$0.isOptional || $0.type == .image }
    guard needed.count == 1, let input = needed.first, input.type == .image else {
      throw CommandError(
        "The model takes \(inputs.keys.sorted().map { "'\($0)'" }.joined(separator: ", ")), not one"
          + " picture, so a folder of pictures does not judge it. Give a CSV table whose header"
          + " names the inputs and the label.")
    }
    return try labelledPictures(in: path).flatMap { name, pictures in
      let label: String = try labels.label(named: name, source: "the folder '\(name)'")
      return pictures.map {
        Example(source: $0, label: label, picture: $0, texts: [input.name: $0])
      }
    }
  }

  private static func table(
    _ path: String, _ model: MLModelDescription, _ labels: LabelNames
  ) throws -> [Example] {
    let table = try CSVTable(contentsOfFile: path)
    let names: [String] = [model.predictedFeatureName, "label"].compactMap { $0 }
    guard let place = names.compactMap({ table.header.firstIndex(of: $0) }).first else {
      throw CommandError(
        "Table '\(path)' has no column '\(names.joined(separator: "' or '"))' with the right labels;"
          + " its header names \(table.header.map { "'\($0)'" }.joined(separator: ", ")).")
    }
    let inputs = model.inputDescriptionsByName
    let columns: [String: [Int]] = try inputColumns(of: table, path, inputs)
    let home: String = (path as NSString).deletingLastPathComponent
    return try table.rows.enumerated().map { index, row in
      let source = "row \(index + 1) of '\(path)'"
      var texts: [String: String] = [:]
      var picture: String?
      for (name, places) in columns {
        var text: String = places.map { row[$0] }.joined(separator: ",")
        if inputs[name]?.type == .image {
          text = (home as NSString).appendingPathComponent(text)
          picture = text
        }
        texts[name] = text
      }
      return Example(
        source: picture ?? source, label: try labels.label(named: row[place], source: source),
        picture: picture, texts: texts)
    }
  }

  /// For each input its columns; `NAME[0]`, `NAME[1]`, … are the elements of an array.
  private static func inputColumns(
    of table: CSVTable, _ path: String, _ inputs: [String: MLFeatureDescription]
  ) throws -> [String: [Int]] {
    var columns: [String: [Int]] = [:]
    for input in inputs.values.sorted(by: { $0.name < $1.name }) {
      if let place = table.header.firstIndex(of: input.name) {
        columns[input.name] = [place]
        continue
      }
      var places: [Int] = []
      while let place = table.header.firstIndex(of: "\(input.name)[\(places.count)]") {
        places.append(place)
      }
      guard !places.isEmpty || input.isOptional else {
        throw CommandError(
          "Table '\(path)' has no column '\(input.name)', which the model takes; its header names "
            + "\(table.header.map { "'\($0)'" }.joined(separator: ", ")).")
      }
      if !places.isEmpty { columns[input.name] = places }
    }
    return columns
  }
}

/// The labels of a classifier by what people call them.
struct LabelNames {
  private let known: Set<String>
  private let count: Int
  private let bySynonym: [String: String]

  /// The labels of a model; one that lists none takes every name.
  init(_ model: MLModelDescription) {
    let labels: [String] = (model.classLabels ?? []).map { "\($0)" }
    known = Set(labels)
    count = labels.count
    var bySynonym: [String: String] = [:]
    var shared: Set<String> = []
    for label in labels {
      let names: [String] =
        [label] + label.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      for name in Set(names.map { $0.lowercased() }) {
        if bySynonym.updateValue(label, forKey: name) != nil { shared.insert(name) }
      }
    }
    for name in shared { bySynonym[name] = nil }
    self.bySynonym = bySynonym
  }

  /// The label that a name means: the label itself, or one of the names that ImageNet's labels list
  /// between commas, in letters of either case.
  func label(named name: String, source: String) throws -> String {
    if known.isEmpty || known.contains(name) { return name }
    if let label = bySynonym[name.lowercased()] { return label }
    let near: String? = bySynonym.keys.min {
      (editDistance($0, name.lowercased()), $0) < (editDistance($1, name.lowercased()), $1)
    }
    throw CommandError(
      "The label '\(name)' of \(source) is none of the model's \(count)"
        + (near.map { "; the nearest is '\($0)'" } ?? "") + ".")
  }
}
