/// The custom layer that stands for a layer which a reader does not know: its class, and what that is made with.
public struct CustomLayerRecipe: Sendable, Equatable {
  /// The name of the class.
  public var className: String
  /// A sentence for people; may be empty.
  public var summary: String
  /// The parameters that the class is made with, by name.
  public var parameters: [String: CustomLayerParameter]
  /// The weights that the class is given; nil for those of the layer in the file.
  public var weights: [[Float]]?
  /// The extents of the output, `[C, H, W]` for pictures, without the batch; nil where the class tells them.
  public var outputExtents: [Extent]?

  /// A class with what it is made with.
  public init(
    _ className: String, summary: String = "", parameters: [String: CustomLayerParameter] = [:],
    weights: [[Float]]? = nil, outputExtents: [Extent]? = nil
  ) {
    self.className = className
    self.summary = summary
    self.parameters = parameters
    self.weights = weights
    self.outputExtents = outputExtents
  }
}

/// What is said of a custom layer beside its class.
public struct CustomLayerDetails: Sendable, Equatable {
  /// Parameters that the class is made with, by name.
  public var parameters: [String: CustomLayerParameter] = [:]
  /// The extents of the output without the batch; nil where nothing is said of them.
  public var outputExtents: [Extent]?

  /// Nothing.
  public init() {}
}

/// A layer that a reader does not know: code of its maker's, or a type that cannot be expressed.
public struct UnknownLayer: Sendable {
  /// The layer's name.
  public let name: String
  /// Its type: `Lambda`.
  public let type: String
  /// The name of its function, where it calls one.
  public let function: String?
  /// What the file says of it, as JSON.
  public let configuration: String
  /// Its weights, in the file's order.
  public let weights: [Constant]

  /// A layer of a file.
  public init(
    name: String, type: String, function: String?, configuration: String, weights: [Constant]
  ) {
    self.name = name
    self.type = type
    self.function = function
    self.configuration = configuration
    self.weights = weights
  }

  /// What may name the layer, the one that says most about it first.
  public var names: [String] { [name, function, type].compactMap { $0 } }
}

extension ReadingOptions {
  /// What stands for a layer.
  ///
  /// - Throws: ``EngineError`` that says what to pass where nothing does.
  public func recipe(for layer: UnknownLayer) throws -> CustomLayerRecipe {
    let names: [String] = layer.names
    if let recipe = names.lazy.compactMap({ customLayers[$0] }).first {
      return detailed(recipe, names)
    }
    if let recipe = try customLayer?(layer) { return detailed(recipe, names) }
    if addsCustomLayers { return detailed(CustomLayerRecipe(layer.type), names) }
    let name: String = layer.function ?? (layer.type == "Lambda" ? layer.name : layer.type)
    let what: String =
      layer.type == "Lambda"
      ? "the layer calls \(layer.function.map { "the function '\($0)'" } ?? "a function without a name") of its maker's"
      : "layers of this type are not known"
    throw EngineError(
      .unsupported,
      "\(what). Pass a class of yours that computes it: --custom '\(name)=ClassName[:description]'."
    )
  }

  /// A recipe with what is said of these names, the last of which says the least about a single layer.
  private func detailed(_ recipe: CustomLayerRecipe, _ names: [String]) -> CustomLayerRecipe {
    var recipe: CustomLayerRecipe = recipe
    for details in names.reversed().compactMap({ customLayerDetails[$0] }) {
      recipe.parameters.merge(details.parameters) { $1 }
      recipe.outputExtents = details.outputExtents ?? recipe.outputExtents
    }
    return recipe
  }

  /// Checks that everything that is said of custom layers is about a layer of the model.
  ///
  /// - Parameter names: The names of the layers that became custom layers, of their functions and their types.
  /// - Throws: ``EngineError`` for other names.
  public func checkCustomLayerDetails(_ names: Set<String>) throws {
    guard let unknown = customLayerDetails.keys.filter({ !names.contains($0) }).min() else {
      return
    }
    let known: String = names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw EngineError(
      .invalidInput,
      "--custom speaks of '\(unknown)', but no custom layer of the model, its function or its type has this name; there"
        + " \(known.isEmpty ? "are none" : "are \(known)").")
  }

  /// Reads what a command line says of custom layers: `NAME=ClassName[:description]`,
  /// `NAME.parameters.KEY=VALUE` or `NAME.shape=64,88,88`. NAME is that of a layer, of its function or of its type;
  /// parameters and shapes may name a layer whose class its function or its type names.
  ///
  /// - Throws: ``EngineError`` for other words, and for parameters where no class is named yet.
  public mutating func addCustomLayer(_ words: String) throws {
    guard let sign = words.firstIndex(of: "="), sign > words.startIndex else {
      throw EngineError(
        .invalidInput,
        "'\(words)' is no custom layer, expected NAME=ClassName[:description] or NAME.parameters.KEY=VALUE."
      )
    }
    let left: Substring = words[..<sign]
    let right = String(words[words.index(after: sign)...])
    if let range = left.firstRange(of: ".parameters.") {
      let name = String(left[..<range.lowerBound])
      try change(name) { $0.parameters[String(left[range.upperBound...])] = Self.parameter(right) }
    } else if left.hasSuffix(".shape") {
      let extents: [Int] = right.split(separator: ",").compactMap { Int($0) }
      guard !extents.isEmpty, extents.allSatisfy({ $0 > 0 }),
        extents.count == right.split(separator: ",").count
      else {
        throw EngineError(
          .invalidInput, "'\(words)': '\(right)' is no shape, expected numbers such as 64,88,88.")
      }
      try change(String(left.dropLast(6))) { $0.outputExtents = extents.map { Extent($0) } }
    } else {
      let parts = right.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = parts.first, !name.isEmpty else {
        throw EngineError(.invalidInput, "'\(words)' names no class, expected NAME=ClassName.")
      }
      customLayers[String(left)] = CustomLayerRecipe(
        String(name), summary: parts.count > 1 ? String(parts[1]) : "")
    }
  }

  private mutating func change(_ name: String, _ body: (inout CustomLayerRecipe) -> Void) throws {
    if var recipe = customLayers[name] {
      body(&recipe)
      customLayers[name] = recipe
      return
    }
    guard !customLayers.isEmpty || customLayer != nil || addsCustomLayers else {
      throw EngineError(
        .invalidInput,
        "'\(name)' stands for no custom layer yet; pass --custom '\(name)=ClassName' in front.")
    }
    // The layer's class may be named by its function or its type.
    var recipe = CustomLayerRecipe("")
    body(&recipe)
    customLayerDetails[name, default: CustomLayerDetails()].parameters
      .merge(recipe.parameters) { $1 }
    if let extents = recipe.outputExtents {
      customLayerDetails[name, default: CustomLayerDetails()].outputExtents = extents
    }
  }

  /// A number, a truth value or text.
  private static func parameter(_ word: String) -> CustomLayerParameter {
    if let number = Int32(word) { return .integer(number) }
    if let number = Int64(word) { return .long(number) }
    if word == "true" || word == "false" { return .bool(word == "true") }
    if let number = Double(word) { return .double(number) }
    return .string(word)
  }
}
