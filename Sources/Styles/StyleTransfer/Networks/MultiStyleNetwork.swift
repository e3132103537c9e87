import ModelFormat

/// One network that paints in several styles. The styles share the convolutions, and each style has its own scales and
/// offsets of the instance norms. Weighted sums of scales and offsets mix styles.
///
/// **Source:** conditional instance normalisation: Dumoulin, Shlens, Kudlur, “A learned representation for artistic
/// style”, arXiv:1610.07629.
public struct MultiStyleNetwork: Sendable {
  /// The network. Its architecture has ``names```.count` styles.
  public private(set) var network: StyleNetwork
  /// The names of the styles, in the order of the network's styles.
  public private(set) var names: [String]

  /// The name of the style that reproduces the photo. ``mixture(of:strength:)`` needs it for strengths other than 1.
  public static let photoName = "photo"
  /// The key of the model's metadata with the names of the styles, separated by commas.
  public static let namesKey = "atelier.styles"

  /// Creates a network from parameters and names.
  ///
  /// - Throws: ``StyleTransferError`` if the numbers of names and styles differ, or if a name is empty, contains a
  ///   comma or a colon, or occurs twice.
  public init(_ network: StyleNetwork, names: [String]) throws {
    guard names.count == network.architecture.styleCount, !names.isEmpty else {
      throw StyleTransferError(
        .network,
        "The network has \(network.architecture.styleCount) styles, but \(names.count) names."
          + " Give one name for each style.")
    }
    for (index, name) in names.enumerated() {
      guard !name.isEmpty, !name.contains(where: { ",:".contains($0) }),
        !names[..<index].contains(name)
      else {
        throw StyleTransferError(
          .input,
          "'\(name)' cannot name a style, expected a name without comma and colon that no other"
            + " style has.")
      }
    }
    self.network = network
    self.names = names
  }

  /// Reads a model that ``model(storage:description:)`` wrote.
  ///
  /// - Parameter name: The name of the model in error messages.
  public init(reading model: Spec.Model, name: String) throws {
    let metadata: [String: String] = model.description?.metadata?.userDefined ?? [:]
    guard let list = metadata[Self.namesKey] else {
      throw StyleTransferError(
        .network,
        "Model '\(name)' has one style, expected a model of several styles; `atelier train` writes"
          + " one for several paintings.")
    }
    let algorithm: StyleAlgorithm =
      metadata[StyleNetwork.algorithmKey].flatMap { StyleAlgorithm(rawValue: $0) } ?? .cnn
    try self.init(
      StyleNetwork(algorithm, reading: model, name: name),
      names: list.split(separator: ",").map(String.init))
  }

  /// Whether a model has several styles.
  public static func isMultiStyle(_ model: Spec.Model) -> Bool {
    model.description?.metadata?.userDefined[namesKey] != nil
  }

  /// The names of the styles of paintings, without the style that reproduces the photo.
  public var paintedNames: [String] { names.filter { $0 != Self.photoName } }

  /// A style and its weight in a mixture.
  public typealias Share = (name: String, weight: Double)

  /// Reads a mixture such as `scream:0.6,great-wave:0.4`. A name without a weight has the weight 1.
  public static func shares(_ text: String) throws -> [Share] {
    try text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      let pieces = part.split(separator: ":", omittingEmptySubsequences: false)
      let weight: Double? = pieces.count == 1 ? 1 : Double(pieces[1])
      guard pieces.count <= 2, !pieces[0].isEmpty, let weight, weight.isFinite, weight >= 0 else {
        throw StyleTransferError(
          .input,
          "'\(part)' is not a part of a mixture, expected NAME or NAME:WEIGHT with a weight of 0 or"
            + " more, such as scream:0.6,great-wave:0.4.")
      }
      return (String(pieces[0]), weight)
    }
  }

  /// Returns the weight of each style of the network for a mixture. The sum of all weights is 1.
  ///
  /// - Parameters:
  ///   - shares: The styles of the mixture. The weights are divided by their sum.
  ///   - strength: 1 for the mixture, 0 for the photo, and values up to 1.5 for more than the mixture. The weight of the
  ///     photo's style is 1 − strength.
  public func weights(of shares: [Share], strength: Double = 1) throws -> [Float] {
    guard (0...1.5).contains(strength) else {
      throw StyleTransferError(.input, "The strength is \(strength), expected 0 to 1.5.")
    }
    let total: Double = shares.reduce(0) { $0 + $1.weight }
    guard total > 0, total.isFinite else {
      throw StyleTransferError(
        .input, "The weights of the mixed styles are 0, expected one above 0.")
    }
    var weights = [Float](repeating: 0, count: names.count)
    for (name, weight) in shares {
      guard let index = names.firstIndex(of: name) else { throw missing(name) }
      weights[index] += Float(strength * weight / total)
    }
    if strength != 1 {
      guard let photo = names.firstIndex(of: Self.photoName) else {
        throw StyleTransferError(
          .input,
          "The model has no style '\(Self.photoName)', which a strength of \(strength) needs; leave"
            + " the strength at 1.")
      }
      weights[photo] += Float(1 - strength)
    }
    return weights
  }

  /// Returns the network of one style: the shared convolutions with the mixture's scales and offsets.
  public func mixture(of shares: [Share], strength: Double = 1) throws -> StyleNetwork {
    network.withStyle(try weights(of: shares, strength: strength))
  }

  /// Returns the network with a further style, which gets the scales and offsets of a network of one style. That
  /// network must have the shared convolutions; this is not checked.
  public func adding(_ style: StyleNetwork, name: String) throws -> MultiStyleNetwork {
    guard style.architecture.styleCount == 0,
      style.parameters.map(\.name) == network.withStyle([]).parameters.map(\.name)
    else {
      throw StyleTransferError(
        .network, "Style '\(name)' is of another architecture than the network that it is added to."
      )
    }
    return try MultiStyleNetwork(network.adding(style), names: names + [name])
  }

  /// Returns the network with only the styles of the given names, in this order, and ``photoName`` if it has that style.
  public func keeping(_ kept: [String]) throws -> MultiStyleNetwork {
    let wanted: [String] =
      kept.filter { $0 != Self.photoName } + names.filter { $0 == Self.photoName }
    let positions: [Int] = try wanted.map { name in
      guard let position = names.firstIndex(of: name) else { throw missing(name) }
      return position
    }
    return try MultiStyleNetwork(network.keeping(positions), names: wanted)
  }

  /// Returns the network from which a training of the named styles starts. A style that this network has keeps its scales
  /// and offsets. The others start with the means of all painted styles.
  ///
  /// - Parameter wanted: The names, and ``photoName`` if the network learns to reproduce photos. A single name gives a
  ///   network of one style.
  public func initial(for wanted: [String]) throws -> StyleNetwork {
    let mean: StyleNetwork = try mixture(of: paintedNames.map { ($0, 1) })
    let styles: [StyleNetwork] = try wanted.map { name in
      names.contains(name) ? try mixture(of: [(name, 1)]) : mean
    }
    guard let first = styles.first, styles.count > 1 else { return styles.first ?? mean }
    return styles.dropFirst().reduce(first.withStyles(1)) { $0.adding($1) }
  }

  private func missing(_ name: String) -> StyleTransferError {
    StyleTransferError(
      .input,
      "The model has no style '\(name)'; it has \(paintedNames.joined(separator: ", ")).")
  }

  /// Writes the network as a Core ML model with the weights of the styles as an input.
  public func model(
    storage: StyleNetwork.Storage = .float16,
    description: StyleNetwork.Description = StyleNetwork.Description(
      summary: "Paints pictures in several styles.")
  ) throws -> Spec.Model {
    var words: StyleNetwork.Description = description
    words.additional[Self.namesKey] = names.joined(separator: ",")
    return try network.model(storage: storage, description: words)
  }
}

extension StyleNetwork {
  /// Returns a network of `count` styles that all have the scales and offsets of this network.
  public func withStyles(_ count: Int) -> StyleNetwork {
    precondition(
      architecture.styleCount == 0 && count > 0, "a network of one style becomes several")
    return withArchitecture(styleCount: count) { values in
      values.flatMap { [Float](repeating: $0, count: count) }
    }
  }

  /// Returns the network of one of the styles, or this network if it has one style only.
  func withOneStyle(_ index: Int) -> StyleNetwork {
    guard architecture.styleCount > 0 else { return self }
    return withStyle((0..<architecture.styleCount).map { $0 == index ? 1 : 0 })
  }

  /// Returns a network of one style. Its scales and offsets are the weighted sums over the styles.
  func withStyle(_ weights: [Float]) -> StyleNetwork {
    withArchitecture(styleCount: 0) { values in
      let count: Int = architecture.styleCount
      return stride(from: 0, to: values.count, by: count).map { first in
        zip(values[first..<(first + count)], weights).reduce(0) { $0 + $1.0 * $1.1 }
      }
    }
  }

  /// Returns the network with the scales and offsets of another network as a further style.
  fileprivate func adding(_ style: StyleNetwork) -> StyleNetwork {
    let count: Int = architecture.styleCount
    var added: [[Float]] = zip(style.parameters, style.values).filter(\.0.isOfNorm).map(\.1)
    added.reverse()
    return withArchitecture(styleCount: count + 1) { values in
      let further: [Float] = added.popLast() ?? []
      return further.indices.flatMap { channel in
        values[(channel * count)..<((channel + 1) * count)] + [further[channel]]
      }
    }
  }

  /// Returns the network with only the styles at the given positions.
  fileprivate func keeping(_ positions: [Int]) -> StyleNetwork {
    let count: Int = architecture.styleCount
    return withArchitecture(styleCount: positions.count) { values in
      stride(from: 0, to: values.count, by: count).flatMap { first in
        positions.map { values[first + $0] }
      }
    }
  }

  /// Returns the network with another number of styles, and with changed scales and offsets.
  private func withArchitecture(styleCount: Int, _ norms: ([Float]) -> [Float]) -> StyleNetwork {
    var architecture: StyleArchitecture = architecture
    architecture.styleCount = styleCount
    return StyleNetwork(
      algorithm, architecture: architecture,
      values: zip(parameters, values).map { $0.isOfNorm ? norms($1) : $1 })
  }
}
