/// A custom layer: a class and the arguments for this class. It replaces a layer of a type that a reader does not know.
public struct CustomLayerRecipe: Sendable, Equatable {
  /// The name of the class.
  public var className: String
  /// A description for people; may be empty.
  public var summary: String
  /// The parameters that the class gets, by name.
  public var parameters: [String: CustomLayerParameter]
  /// The weights that the class gets. If this property is nil, the class gets the weights that the file stores for the
  /// replaced layer.
  public var weights: [[Float]]?
  /// The extents of the output without the batch axis, `[C, H, W]` for images; nil if the class computes them.
  public var outputExtents: [Extent]?

  /// Creates a recipe from the name of a class and the arguments for this class.
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

/// The details that a caller states about a custom layer, in addition to the layer's class.
public struct CustomLayerDetails: Sendable, Equatable {
  /// The parameters that the class gets, by name.
  public var parameters: [String: CustomLayerParameter] = [:]
  /// The extents of the output without the batch axis; nil if the caller does not state them.
  public var outputExtents: [Extent]?

  /// Creates details that state nothing.
  public init() {}
}

/// A layer that a reader does not know. Either it calls custom code, or the reader cannot express its type.
public struct UnknownLayer: Sendable {
  /// The layer's name.
  public let name: String
  /// The layer's type, such as `Lambda`.
  public let type: String
  /// The name of the function that the layer calls; nil if it calls none.
  public let function: String?
  /// The layer's configuration in the file, as JSON.
  public let configuration: String
  /// The layer's weights, in the file's order.
  public let weights: [Constant]

  /// Creates the description of a layer in a file.
  public init(
    name: String, type: String, function: String?, configuration: String, weights: [Constant]
  ) {
    self.name = name
    self.type = type
    self.function = function
    self.configuration = configuration
    self.weights = weights
  }

  /// The names by which a caller may identify the layer, from the most specific name to the least specific.
  public var names: [String] { [name, function, type].compactMap { $0 } }
}

extension ReadingOptions {
  /// Returns the custom layer that replaces an unknown layer.
  ///
  /// - Throws: An ``EngineError`` if the caller has given no replacement. The error names the option to pass.
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
      ? "the layer calls \(layer.function.map { "the function '\($0)'" } ?? "an anonymous function"), and the file does not contain its code"
      : "layers of this type are not known"
    throw EngineError(
      .unsupported,
      "\(what). Pass the name of your class that computes it: --custom '\(name)=ClassName[:description]'."
    )
  }

  /// Returns the recipe, completed with the details that the caller gave for these names. Details for an earlier name
  /// in the list take precedence.
  private func detailed(_ recipe: CustomLayerRecipe, _ names: [String]) -> CustomLayerRecipe {
    var recipe: CustomLayerRecipe = recipe
    for details in names.reversed().compactMap({ customLayerDetails[$0] }) {
      recipe.parameters.merge(details.parameters) { $1 }
      recipe.outputExtents = details.outputExtents ?? recipe.outputExtents
    }
    return recipe
  }

  /// Checks that every name for which the caller gave details belongs to a custom layer of the model.
  ///
  /// - Parameter names: The names of all layers that became custom layers, the names of the functions that these layers
  ///   call, and the names of their types.
  /// - Throws: ``EngineError`` that states a name that belongs to no custom layer.
  public func checkCustomLayerDetails(_ names: Set<String>) throws {
    guard let unknown = customLayerDetails.keys.filter({ !names.contains($0) }).min() else {
      return
    }
    let known: String = names.sorted().map { "'\($0)'" }.joined(separator: ", ")
    throw EngineError(
      .invalidInput,
      "--custom names '\(unknown)', but no custom layer of the model, its function or its type has this name; the names"
        + " are \(known.isEmpty ? "none" : known).")
  }

  /// Parses a command-line option about custom layers: `NAME=ClassName[:description]`, `NAME.parameters.KEY=VALUE` or
  /// `NAME.shape=64,88,88`. NAME is the name of a layer, of the function that it calls, or of its type. Several options
  /// for one layer may use different names.
  ///
  /// - Throws: ``EngineError`` for text in none of these forms, and for parameters or a shape if no option has named a
  ///   class yet.
  public mutating func addCustomLayer(_ words: String) throws {
    guard let sign = words.firstIndex(of: "="), sign > words.startIndex else {
      throw EngineError(
        .invalidInput,
        "'\(words)' describes no custom layer, expected NAME=ClassName[:description] or NAME.parameters.KEY=VALUE."
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
        "'\(name)' names no custom layer yet; pass --custom '\(name)=ClassName' before this option."
      )
    }
    // No option has given a class for this name. An option may have given the class for another name of the same layer:
    // the name of its function or of its type. So the details are stored by name.
    var recipe = CustomLayerRecipe("")
    body(&recipe)
    customLayerDetails[name, default: CustomLayerDetails()].parameters
      .merge(recipe.parameters) { $1 }
    if let extents = recipe.outputExtents {
      customLayerDetails[name, default: CustomLayerDetails()].outputExtents = extents
    }
  }

  /// Parses the value of a parameter: a number, a Boolean or text.
  private static func parameter(_ word: String) -> CustomLayerParameter {
    if let number = Int32(word) { return .integer(number) }
    if let number = Int64(word) { return .long(number) }
    if word == "true" || word == "false" { return .bool(word == "true") }
    if let number = Double(word) { return .double(number) }
    return .string(word)
  }
}
