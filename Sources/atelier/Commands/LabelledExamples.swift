import Arguments
import CoreML
import Foundation
import Imaging
import Tables

/// Examples with known labels, for measuring a classifier: a folder of pictures for each label, or the rows of a table.
/// Each picture is read when it is needed.
struct LabelledExamples {
  /// An example: the values of a classifier's inputs as text, such as the path of a picture, and the right label.
  struct Example {
    /// The file of the picture, or the row of the table, in words for messages.
    let source: String
    /// The right label.
    let label: String
    /// The file of the example's picture. Nil for a row without a picture.
    let picture: String?
    fileprivate let texts: [String: String]
  }

  /// The examples. Those of a folder are sorted by inner folder and then by file name. Those of a table are in the
  /// order of the rows.
  let examples: [Example]

  private let inputs: [String: MLFeatureDescription]
  private let cropAndScale: CropAndScale

  /// Lists the examples of a folder or table.
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

  /// Reads the inputs of an example.
  func features(of example: Example) throws -> MLDictionaryFeatureProvider {
    var values: [String: MLFeatureValue] = [:]
    for (name, text) in example.texts {
      guard let input = inputs[name] else { continue }
      values[name] = try InputValue.make(
        text, input, cropAndScale: cropAndScale, source: "'\(name)' of \(example.source)")
    }
    return try MLDictionaryFeatureProvider(dictionary: values)
  }

  /// Lists the folders within a folder, and the pictures in each, sorted by name. The names of the inner folders are
  /// labels.
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
            && PhotoSearch.extensions.contains(
              URL(fileURLWithPath: file).pathExtension.lowercased())
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
          + " picture, so a folder of pictures cannot be used. Give a CSV table with a header that"
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
    guard let labelColumn = names.compactMap({ table.header.firstIndex(of: $0) }).first else {
      throw CommandError(
        "Table '\(path)' has no column '\(names.joined(separator: "' or '"))' with the right"
          + " labels. Its header names \(table.header.map { "'\($0)'" }.joined(separator: ", ")).")
    }
    let inputs = model.inputDescriptionsByName
    let columns: [String: [Int]] = try inputColumns(of: table, path, inputs)
    let home: String = (path as NSString).deletingLastPathComponent
    return try table.rows.enumerated().map { index, row in
      let source = "row \(index + 1) of '\(path)'"
      var texts: [String: String] = [:]
      var picture: String?
      for (name, indices) in columns {
        var text: String = indices.map { row[$0] }.joined(separator: ",")
        if inputs[name]?.type == .image {
          text = (home as NSString).appendingPathComponent(text)
          picture = text
        }
        texts[name] = text
      }
      return Example(
        source: picture ?? source, label: try labels.label(named: row[labelColumn], source: source),
        picture: picture, texts: texts)
    }
  }

  /// Returns, for each input, the indices of its columns in the table. The columns `NAME[0]`, `NAME[1]`, … are the
  /// elements of an array.
  private static func inputColumns(
    of table: CSVTable, _ path: String, _ inputs: [String: MLFeatureDescription]
  ) throws -> [String: [Int]] {
    var columns: [String: [Int]] = [:]
    for input in inputs.values.sorted(by: { $0.name < $1.name }) {
      if let column = table.header.firstIndex(of: input.name) {
        columns[input.name] = [column]
        continue
      }
      var indices: [Int] = []
      while let column = table.header.firstIndex(of: "\(input.name)[\(indices.count)]") {
        indices.append(column)
      }
      guard !indices.isEmpty || input.isOptional else {
        throw CommandError(
          "Table '\(path)' has no column '\(input.name)', which the model needs. Its header names "
            + "\(table.header.map { "'\($0)'" }.joined(separator: ", ")).")
      }
      if !indices.isEmpty { columns[input.name] = indices }
    }
    return columns
  }
}

/// Finds the labels of a classifier by the names that people use for them.
struct LabelNames {
  private let known: Set<String>
  private let count: Int
  private let bySynonym: [String: String]

  /// Reads the labels of a model. If the model lists none, every name is accepted.
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

  /// Returns the label with the given name, ignoring case. The name may be the complete label, or one of several names
  /// that commas separate within the label, as in ImageNet's labels.
  func label(named name: String, source: String) throws -> String {
    if known.isEmpty || known.contains(name) { return name }
    if let label = bySynonym[name.lowercased()] { return label }
    let near: String? = bySynonym.keys.min {
      (editDistance($0, name.lowercased()), $0) < (editDistance($1, name.lowercased()), $1)
    }
    throw CommandError(
      "The label '\(name)' of \(source) is not one of the model's \(count)"
        + (near.map { "; the nearest is '\($0)'" } ?? "") + ".")
  }
}
