import Arguments
import CoreML
import Film
import Foundation
import Imaging
import StyleTransfer

/// Reads the options of `atelier film`.
struct FilmOptions {
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) { self.arguments = arguments }

  /// The settings of a film.
  func settings() throws -> FilmSettings {
    var settings = FilmSettings()
    settings.from = try arguments.value("from").map { try Self.seconds($0, "from") }
    settings.to = try arguments.value("to").map { try Self.seconds($0, "to") }
    if let from = settings.from, let to = settings.to, from >= to {
      throw UsageError("--from \(from) is not before --to \(to).")
    }
    settings.longerSide = try arguments.integer("size", in: 16...16384)
    settings.largestPaintedSide =
      try arguments.integer("paint-size", in: 16...16384) ?? settings.largestPaintedSide
    settings.quality = try arguments.integer("crf", in: 0...63)
    settings.codec = arguments.value("codec")
    settings.segmentLength =
      try arguments.integer("segment", in: 1...100_000) ?? settings.segmentLength
    if let rate = arguments.value("fps") {
      let parts: [Double?] = rate.split(separator: "/").map { Double($0) }
      guard (1...2).contains(parts.count), parts.allSatisfy({ ($0 ?? 0) > 0 && ($0 ?? 0) < 1e6 })
      else {
        throw UsageError("--fps is '\(rate)', expected a number such as 25 or 30000/1001.")
      }
      settings.rate = rate
    }
    settings.stability = try share("stability") ?? FilmSettings.defaultStability
    if let text = arguments.value("raw") {
      let sides: [Int] = text.lowercased().split(separator: "x").compactMap { Int($0) }
      guard sides.count == 2, sides.allSatisfy({ (1...16384).contains($0) }) else {
        throw UsageError("--raw is '\(text)', expected a size such as 640x480.")
      }
      settings.rawSize = PictureSize(width: sides[0], height: sides[1])
    }
    settings.styleText =
      Self.styleOptions.map { name in
        arguments.values(name).map { Self.identity(of: $0, name) }.joined(separator: ",")
      }.joined(separator: ";") + (arguments.has("lite") ? ";lite" : "")
      + (arguments.has("invert") ? ";inverted" : "")
    return settings
  }

  /// The options whose values, or the files that they name, change the frames, besides those of ``FilmSettings``.
  private static let styleOptions: [String] = [
    "model", "style", "transition", "mask", "subject", "softness", "function", "compute-units",
    "with", "plugin", "custom", "key",
  ]

  /// Returns a value with the sizes and modification times of the files that it names, so that a film whose model or
  /// mask has changed begins anew.
  private static func identity(of value: String, _ option: String) -> String {
    let files = FileManager.default
    var path: String = value
    var others: [String] = []
    switch option {
    case "model", "subject": path = (try? ModelLocation.resolve(value).path) ?? value
    case "style" where !files.fileExists(atPath: value):
      guard let gallery = try? StyleGallery.installedFolder(),
        let entry = try? StyleGallery.entry(value, in: gallery)
      else { break }
      path = entry.folder.path
      // The list of the networks of all styles has their digests.
      others = [gallery.appendingPathComponent(GalleryNetwork.listFile).path]
    default: break
    }
    // A file has no names inside.
    let names: [String] = (try? files.subpathsOfDirectory(atPath: path)) ?? []
    let paths: [String] = [path] + others + names.sorted().map { path + "/" + $0 }
    let parts: [String] = paths.compactMap { path in
      guard let attributes = try? files.attributesOfItem(atPath: path) else { return nil }
      let changed: Date? = attributes[.modificationDate] as? Date
      return "\(attributes[.size] as? Int ?? 0)@\(changed?.timeIntervalSince1970 ?? 0)"
    }
    return ([value] + parts).joined(separator: " ")
  }

  /// The style of the frames, and the one into which it changes.
  func styles(_ options: ModelOptions) throws -> (first: FrameStyle, last: FrameStyle?) {
    guard let transition = arguments.value("transition") else {
      return (try style(named: arguments.value("style"), arguments.value("model"), options), nil)
    }
    // Either two names, or the last one.
    let arrow: String = transition.contains("→") ? "→" : "->"
    let names: [String] = transition.components(separatedBy: arrow)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard names.count <= 2, names.allSatisfy({ !$0.isEmpty }) else {
      throw UsageError("--transition is '\(transition)', expected a style, or two as in a→b.")
    }
    guard names.count == 1 || !arguments.has("style") else {
      throw UsageError("--transition '\(transition)' names the first style; leave out --style.")
    }
    guard !arguments.has("still") else {
      throw UsageError("--still paints one frame in one style; leave out --transition.")
    }
    let first: String? = names.count == 2 ? names[0] : arguments.value("style")
    // If the model has a single style, the last one is another network.
    let model: String? = arguments.value("model")
    return (
      try style(named: first, model, options),
      try style(named: names[names.count - 1], first == nil ? nil : model, options)
    )
  }

  /// The style of a name or of a model.
  private func style(named name: String?, _ model: String?, _ options: ModelOptions) throws
    -> FrameStyle
  {
    var style: FrameStyle
    if let painting = StyleImages.painting(name) {
      guard !arguments.has("lite"), model == nil else {
        throw UsageError(
          "A picture as --style uses its own networks; leave out --model and --lite.")
      }
      style = FrameStyle(try StyleImages.painter(in: painting, options.configuration))
    } else if model == nil, let path = name, !FileManager.default.fileExists(atPath: path),
      ContentPictures.extensions.contains(URL(fileURLWithPath: path).pathExtension.lowercased())
    {
      throw CommandError("The painting '\(path)' for --style does not exist.")
    } else if let several = try severalStyles(name, model, options) {
      style = FrameStyle(several)
    } else {
      let location: URL = try network(name, model)
      options.configuration.allowsAnyInputSize = true
      let opened: MLModel = try OpenedModel.open(location, options)
      let file: String = location.lastPathComponent
      if model != nil {
        try MixedStyle.requireChoice(for: opened, name: file, inputs: [])
        try ChosenStyle.requireChoice(at: location, given: [])
      }
      style = FrameStyle(try Painter(opened, name: file))
      if name != nil, !arguments.has("own-colors"), !arguments.has("keep-colors") {
        style.palette = try Palette.ofStyle(withModel: location)
      }
    }
    style.strength = try share("strength") ?? 1
    style.keepsColors = arguments.has("keep-colors")
    if let subject = try subject(options) {
      style.mask = .subject { try subject.mask(of: $0) }
    } else if let path = arguments.value("mask") {
      let isPicture: Bool = ContentPictures.extensions.contains(
        URL(fileURLWithPath: path).pathExtension.lowercased())
      style.mask =
        isPicture
        ? .picture(try Picture(contentsOfFile: path))
        : .film(try FilmDescription(path, programs: FilmPrograms()))
    }
    return style
  }

  /// The part of each frame that stays unchanged because a model finds it. Nil without `--subject`.
  private func subject(_ options: ModelOptions) throws -> StylizedSubject? {
    guard arguments.has("subject") else {
      for name in ["invert", "softness"] where arguments.has(name) {
        throw UsageError("--\(name) needs --subject MODEL.")
      }
      return nil
    }
    return try StylizedSubject(arguments, options)
  }

  /// Returns a painter for a style of a network with several styles, or for a mixture of styles. Returns nil for a
  /// network with one style.
  private func severalStyles(_ name: String?, _ model: String?, _ options: ModelOptions) throws
    -> Painter?
  {
    guard let name else { return nil }
    guard let model else {
      guard MixedStyle.isMixture(name) else { return nil }
      return try MixedStyle(gallery: name, lite: arguments.has("lite"))
        .painter(options.configuration)
    }
    guard !arguments.has("lite") else {
      throw UsageError("--lite chooses among the gallery's networks; leave it out with --model.")
    }
    let location: URL = try ModelLocation.resolve(model)
    if let mixed = try MixedStyle(name, model: location) {
      return try mixed.painter(options.configuration)
    }
    guard let chosen = try ChosenStyle(name, model: model) else { return nil }
    options.configuration.allowsAnyInputSize = true
    let opened: MLModel = try OpenedModel.open(location, options)
    return try Painter(
      opened, inputs: chosen.value(for: opened), name: location.lastPathComponent)
  }

  private func network(_ name: String?, _ model: String?) throws -> URL {
    switch (model, name) {
    case (let model?, nil):
      guard !arguments.has("lite") else {
        throw UsageError("--lite chooses among a style's networks; name the --style.")
      }
      return try ModelLocation.resolve(model)
    case (nil, let name?):
      let entry = try StyleGallery.entry(name, in: StyleGallery.installedFolder())
      return try entry.model(lite: arguments.has("lite"))
    case (nil, nil): throw UsageError("--style NAME or --model MODEL is missing.")
    default:
      throw UsageError(
        "--style and --model name two networks, because the model has one style; give one of them.")
    }
  }

  private func share(_ option: String) throws -> Double? {
    guard let text = arguments.value(option) else { return nil }
    guard let number = Double(text), (0...1).contains(number) else {
      throw UsageError("--\(option) is '\(text)', expected a number from 0 to 1.")
    }
    return number
  }

  /// Reads a time: seconds, `M:SS` or `H:MM:SS`.
  static func seconds(_ text: String, _ option: String) throws -> Double {
    let parts: [Double?] = text.split(separator: ":", omittingEmptySubsequences: false).map {
      Double($0)
    }
    guard (1...3).contains(parts.count), parts.allSatisfy({ ($0 ?? -1) >= 0 && ($0 ?? 0) < 1e9 })
    else {
      throw UsageError("--\(option) is '\(text)', expected a time such as 12.5, 1:30 or 0:01:30.")
    }
    return parts.reduce(0) { $0 * 60 + ($1 ?? 0) }
  }
}
