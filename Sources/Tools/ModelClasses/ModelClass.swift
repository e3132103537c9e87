import Foundation
import ModelFormat

/// Writes the Swift file that Xcode generates for a model: the class of the model, and the classes of its input and
/// output.
///
/// **Source:** Apple's documentation, “Integrating a Core ML Model into Your App”; the classes have the same members as
/// Xcode's.
public struct ModelClass {
  /// The bundle in which the class finds its model.
  public enum Place: String, Sendable, CaseIterable {
    /// The resources of the program.
    case main
    /// The resources of the package's target that contains the class.
    case module
  }

  /// The name of the class.
  public let name: String
  private let description: Spec.ModelDescription
  private let place: Place
  private let visibility: String

  /// Reads a model's description for its class.
  ///
  /// - Parameters:
  ///   - file: The model.
  ///   - name: The name of the class. Nil for the model's name.
  ///   - isPublic: Whether the class is public.
  /// - Throws: ``ModelFormatError`` for a file that is not a model.
  public init(_ file: URL, name: String? = nil, place: Place = .main, isPublic: Bool = false) throws
  {
    let model: Spec.Model = try ModelFile.open(file).model
    let stem: String = file.deletingPathExtension().lastPathComponent
    self.init(model.description ?? .init(), name: name ?? stem, place: place, isPublic: isPublic)
  }

  /// Returns the name of the class for a model's file, without opening the file.
  public static func name(of file: URL) -> String {
    SwiftName.type(file.deletingPathExtension().lastPathComponent)
  }

  /// Creates the class of a model from its description.
  public init(
    _ description: Spec.ModelDescription, name: String, place: Place = .main,
    isPublic: Bool = false
  ) {
    var described: Spec.ModelDescription = description
    if let function = description.functions.first(where: {
      $0.name == description.defaultFunctionName
    }) {
      (described.input, described.output) = (function.input, function.output)
      described.state = function.state
    }
    self.description = described
    self.name = SwiftName.type(name)
    self.place = place
    visibility = isPublic ? "public " : ""
  }

  private var inputs: [ModelClassFeature] { ModelClassFeature.list(description.input) }
  private var outputs: [ModelClassFeature] { ModelClassFeature.list(description.output) }
  private var hasStates: Bool { !description.state.isEmpty }

  /// The text of the Swift file.
  public var source: String {
    let metadata = description.metadata
    let license: String =
      metadata?.license.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
    let about: String = [
      metadata?.shortDescription ?? "", license.isEmpty ? "" : "Licence: \(license)",
    ]
    .filter { !$0.isEmpty }.map(SwiftName.oneLine).joined(separator: ". ")
    return """
      //
      // \(name).swift
      //
      // Written by `atelier generate`, which replaces all changes when it runs again.
      //\(about.isEmpty ? "" : " " + about)

      import CoreML

      \(inputClass)
      \(outputClass)
      \(modelClass)
      """
  }

  // MARK: - Input

  private var inputClass: String {
    var members: [String] = inputs.map { "\($0.comment)\n\(visibility)var \($0.name): \($0.type)" }
    members.append(names("[\(inputs.map { $0.key }.joined(separator: ", "))]"))
    let answers: [String] = inputs.map { feature in
      "if featureName == \(feature.key) {\n  return \(feature.boxed(feature.name))\n}"
    }
    members.append(
      """
      \(visibility)func featureValue(for featureName: String) -> MLFeatureValue? {
      \(indented(answers + ["return nil"]))
      }
      """)
    members.append(initializer(inputs, assigning: inputs.map { "self.\($0.name) = \($0.name)" }))
    members += conveniences
    return type("Input", "The inputs of a prediction.", members)
  }

  /// Initialisers that take shaped arrays, and pictures as images or files.
  private var conveniences: [String] {
    var made: [String] = []
    if inputs.contains(where: { $0.scalar != nil }) {
      let parameters: String = inputs.map { "\($0.name): \($0.shapedType ?? $0.type)" }
        .joined(separator: ", ")
      let values: String = inputs.map { feature in
        "\(feature.name): "
          + (feature.scalar == nil ? feature.name : "MLMultiArray(\(feature.name))")
      }.joined(separator: ", ")
      made.append("\(visibility)convenience init(\(parameters)) {\n  self.init(\(values))\n}")
    }
    for (word, type, label) in [("With", "CGImage", "cgImage"), ("At", "URL", "imageAt")] {
      guard inputs.contains(where: { $0.image != nil }) else { break }
      let parameters: String = inputs.map { feature in
        feature.image == nil
          ? "\(feature.name): \(feature.type)" : "\(feature.name)\(word) \(feature.name): \(type)"
      }.joined(separator: ", ")
      let values: String = inputs.map { feature in
        "\(feature.name): " + (feature.image?.buffer(label, feature.name) ?? feature.name)
      }.joined(separator: ", ")
      made.append(
        "\(visibility)convenience init(\(parameters)) throws {\n  try self.init(\(values))\n}")
      for feature in inputs {
        guard let image = feature.image else { continue }
        made.append(
          """
          \(visibility)func set\(SwiftName.capitalized(feature.name))(with \(feature.name): \(type)) throws {
            self.\(feature.name) = try \(image.buffer(label, feature.name))
          }
          """)
      }
    }
    return made
  }

  // MARK: - Output

  private var outputClass: String {
    var members = ["private let provider: any MLFeatureProvider"]
    for feature in outputs {
      members.append(
        "\(feature.comment)\n\(visibility)var \(feature.name): \(feature.type) {\n  \(feature.unboxed)\n}"
      )
      if let shaped = feature.shapedType {
        members.append(
          "\(feature.comment)\n\(visibility)var \(feature.name)ShapedArray: \(shaped) {\n  \(shaped)(\(feature.name))\n}"
        )
      }
    }
    members.append(names("provider.featureNames"))
    members.append(
      """
      \(visibility)func featureValue(for featureName: String) -> MLFeatureValue? {
        provider.featureValue(for: featureName)
      }
      """)
    if !outputs.isEmpty {
      let entries: String = outputs.map { "\($0.key): \($0.boxed($0.name)) as Any" }
        .joined(separator: ", ")
      members.append(
        initializer(
          outputs,
          assigning: ["provider = try! MLDictionaryFeatureProvider(dictionary: [\(entries)])"]))
    }
    members.append(
      "\(visibility)init(features: any MLFeatureProvider) {\n  provider = features\n}")
    return type("Output", "The outputs of a prediction.", members)
  }

  // MARK: - The model

  private var modelClass: String {
    var members: [String] = ["\(visibility)let model: MLModel"]
    members.append(
      """
      /// The URL of the model in the bundle of this class.
      \(visibility)class var urlOfModelInThisBundle: URL {
        let bundle = Bundle.\(place.rawValue)
        let name = \(SwiftName.literal(name))
        guard let url = bundle.url(forResource: name, withExtension: "mlmodelc")
            ?? bundle.url(forResource: name, withExtension: "mlpackage")
            ?? bundle.url(forResource: name, withExtension: "mlmodel")
        else {
          fatalError("The model '\\(name)' is not in \\(bundle.bundlePath).")
        }
        return url
      }
      """)
    members += openers
    members += predictions
    return
      """
      /// The model \(name).
      \(visibility)class \(name) {
      \(indented(members.map { $0 + "\n" }).dropLastNewline)
      }

      """
  }

  private var openers: [String] {
    let settings = "configuration: MLModelConfiguration = MLModelConfiguration()"
    return [
      "\(visibility)init(model: MLModel) {\n  self.model = model\n}",
      """
      /// Loads the bundled model. Traps if it cannot be loaded, as in Xcode's classes. The other initialisers throw.
      \(visibility)convenience init() {
        try! self.init(contentsOf: type(of: self).urlOfModelInThisBundle)
      }
      """,
      """
      \(visibility)convenience init(configuration: MLModelConfiguration) throws {
        try self.init(
          contentsOf: type(of: self).urlOfModelInThisBundle, configuration: configuration)
      }
      """,
      """
      \(visibility)convenience init(contentsOf modelURL: URL) throws {
        try self.init(model: MLModel(contentsOf: modelURL))
      }
      """,
      """
      \(visibility)convenience init(contentsOf modelURL: URL, configuration: MLModelConfiguration) throws {
        try self.init(model: MLModel(contentsOf: modelURL, configuration: configuration))
      }
      """,
      """
      \(visibility)class func load(
        \(settings),
        completionHandler handler: @escaping (Swift.Result<\(name), any Error>) -> Void
      ) {
        load(
          contentsOf: urlOfModelInThisBundle, configuration: configuration,
          completionHandler: handler)
      }
      """,
      """
      \(visibility)class func load(
        \(settings)
      ) async throws -> \(name) {
        try await load(contentsOf: urlOfModelInThisBundle, configuration: configuration)
      }
      """,
      """
      \(visibility)class func load(
        contentsOf modelURL: URL,
        \(settings),
        completionHandler handler: @escaping (Swift.Result<\(name), any Error>) -> Void
      ) {
        MLModel.load(contentsOf: modelURL, configuration: configuration) { result in
          switch result {
          case .failure(let error): handler(.failure(error))
          case .success(let model): handler(.success(\(name)(model: model)))
          }
        }
      }
      """,
      """
      \(visibility)class func load(
        contentsOf modelURL: URL, \(settings)
      ) async throws -> \(name) {
        let model = try await MLModel.load(contentsOf: modelURL, configuration: configuration)
        return \(name)(model: model)
      }
      """,
    ]
  }

  private var predictions: [String] {
    let (input, output) = ("\(name)Input", "\(name)Output")
    var made: [String] = []
    if hasStates {
      made.append("\(visibility)func makeState() -> MLState {\n  model.makeState()\n}")
    }
    let states: [(parameter: String, argument: String)] =
      hasStates ? [("", ""), (", using state: MLState", ", using: state")] : [("", "")]
    for (parameter, argument) in states {
      made.append(
        """
        \(visibility)func prediction(input: \(input)\(parameter)) throws -> \(output) {
          try prediction(input: input\(argument), options: MLPredictionOptions())
        }
        """)
      made.append(
        """
        \(visibility)func prediction(input: \(input)\(parameter), options: MLPredictionOptions) throws -> \(output) {
          \(output)(features: try model.prediction(from: input\(argument), options: options))
        }
        """)
      made.append(
        """
        \(visibility)func prediction(
          input: \(input)\(parameter), options: MLPredictionOptions = MLPredictionOptions()
        ) async throws -> \(output) {
          \(output)(features: try await model.prediction(from: input\(argument), options: options))
        }
        """)
    }
    let values: String = inputs.map { "\($0.name): \($0.name)" }.joined(separator: ", ")
    let plain: String = inputs.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    made.append(
      """
      \(visibility)func prediction(\(plain)) throws -> \(output) {
        try prediction(input: \(input)(\(values)))
      }
      """)
    if inputs.contains(where: { $0.scalar != nil }) {
      let shaped: String = inputs.map { "\($0.name): \($0.shapedType ?? $0.type)" }
        .joined(separator: ", ")
      made.append(
        """
        \(visibility)func prediction(\(shaped)) throws -> \(output) {
          try prediction(input: \(input)(\(values)))
        }
        """)
    }
    made.append(
      """
      \(visibility)func predictions(
        inputs: [\(input)], options: MLPredictionOptions = MLPredictionOptions()
      ) throws -> [\(output)] {
        let batch = try model.predictions(from: MLArrayBatchProvider(array: inputs), options: options)
        return (0..<batch.count).map { \(output)(features: batch.features(at: $0)) }
      }
      """)
    return made
  }

  // MARK: - Text

  private func names(_ value: String) -> String {
    "\(visibility)var featureNames: Set<String> {\n  \(value)\n}"
  }

  private func initializer(_ features: [ModelClassFeature], assigning lines: [String]) -> String {
    let parameters: String = features.map { "\($0.name): \($0.type)" }.joined(separator: ", ")
    return "\(visibility)init(\(parameters)) {\n\(indented(lines))\n}"
  }

  private func type(_ kind: String, _ comment: String, _ members: [String]) -> String {
    """
    /// \(comment)
    \(visibility)class \(name)\(kind): MLFeatureProvider {
    \(indented(members.map { $0 + "\n" }).dropLastNewline)
    }

    """
  }

  private func indented(_ parts: [String]) -> String {
    parts.flatMap { $0.split(separator: "\n", omittingEmptySubsequences: false) }
      .map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
  }
}

extension String {
  /// The text without the line break at its end.
  fileprivate var dropLastNewline: String { hasSuffix("\n") ? String(dropLast()) : self }
}
