@_exported import Foundation

/// The kind of a tag: an extension or a MIME type.
public struct UTTagClass: RawRepresentable, Hashable, Sendable {
  /// The identifier of the kind.
  public let rawValue: String

  /// Makes a kind from its identifier.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Extensions of file names.
  public static let filenameExtension: UTTagClass = UTTagClass(
    rawValue: "public.filename-extension")
  /// MIME types.
  public static let mimeType: UTTagClass = UTTagClass(rawValue: "public.mime-type")
}

/// A type of files or bytes.
///
/// The module knows the usual types of text, pictures, films, sound, archives and models. For an unknown extension or
/// MIME type, an initialiser makes a dynamic type, which is equal only to itself.
public struct UTType: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The identifier, such as `public.jpeg`.
  public let identifier: String
  /// The extension of a dynamic type.
  private let dynamicExtension: String?
  /// The MIME type of a dynamic type.
  private let dynamicMIMEType: String?
  /// The identifier of the type to which a dynamic or imported type conforms.
  private let parent: String?

  private init(
    name identifier: String, parent: String? = nil, dynamicExtension: String? = nil,
    dynamicMIMEType: String? = nil
  ) {
    self.identifier = identifier
    self.parent = parent
    self.dynamicExtension = dynamicExtension
    self.dynamicMIMEType = dynamicMIMEType
  }

  init(declared identifier: String) { self.init(name: identifier) }

  /// Makes the type with an identifier. Returns nil if the module does not know the identifier.
  public init?(_ identifier: String) {
    guard let known = DeclaredType.byIdentifier[identifier.lowercased()] else { return nil }
    self.init(name: known.identifier)
  }

  /// Makes the type of files with an extension, given without its dot. The result is a dynamic type if the extension is
  /// unknown.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// Makes the type with a MIME type. The result is a dynamic type if the MIME type is unknown.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// Makes the type with an extension or a MIME type. The result is a dynamic type for an unknown tag, and nil for an
  /// empty tag.
  public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
    if let type = UTType.types(tag: tag, tagClass: tagClass, conformingTo: supertype).first {
      self = type
      return
    }
    let isExtension: Bool = tagClass == .filenameExtension
    guard !tag.isEmpty, isExtension || tagClass == .mimeType else { return nil }
    self.init(
      name: "dyn.\(tagClass.rawValue).\(tag.lowercased())", parent: supertype?.identifier,
      dynamicExtension: isExtension ? tag : nil, dynamicMIMEType: isExtension ? nil : tag)
  }

  /// Makes a type that the program declares. The type conforms to `parentType`. On Apple's systems, a property list
  /// declares more.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self = UTType(identifier) ?? UTType(name: identifier, parent: parentType?.identifier)
  }

  /// Makes a type that another program declares.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(exportedAs: identifier, conformingTo: parentType)
  }

  /// Returns the known types with a tag.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?)
    -> [UTType]
  {
    let wanted: String = tag.lowercased()
    return DeclaredType.all.filter { type in
      let tags: [String] = tagClass == .filenameExtension ? type.extensions : type.mimeTypes
      return tagClass == .filenameExtension || tagClass == .mimeType ? tags.contains(wanted) : false
    }.map { UTType(name: $0.identifier) }.filter { type in
      supertype.map { type.conforms(to: $0) || $0 == .data } ?? true
    }
  }

  private var declared: DeclaredType? { DeclaredType.byIdentifier[identifier] }

  private var parents: [String] { declared?.parents ?? parent.map { [$0] } ?? [] }

  /// The usual extension, without its dot.
  public var preferredFilenameExtension: String? { declared?.extensions.first ?? dynamicExtension }

  /// The usual MIME type.
  public var preferredMIMEType: String? { declared?.mimeTypes.first ?? dynamicMIMEType }

  /// The extensions and MIME types.
  public var tags: [UTTagClass: [String]] {
    var tags: [UTTagClass: [String]] = [:]
    tags[.filenameExtension] = declared?.extensions ?? dynamicExtension.map { [$0] }
    tags[.mimeType] = declared?.mimeTypes ?? dynamicMIMEType.map { [$0] }
    return tags.filter { !$0.value.isEmpty }
  }

  /// All types to which this type conforms, without itself.
  public var supertypes: Set<UTType> {
    var found: Set<UTType> = []
    var open: [String] = parents
    while let identifier = open.popLast() {
      guard found.insert(UTType(name: identifier)).inserted else { continue }
      open += DeclaredType.byIdentifier[identifier]?.parents ?? []
    }
    return found
  }

  /// Returns whether this type is `type` or a subtype of `type`.
  public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }

  /// Returns whether this type is a subtype of `type`.
  public func isSubtype(of type: UTType) -> Bool { supertypes.contains(type) }

  /// Returns whether `type` is a subtype of this type.
  public func isSupertype(of type: UTType) -> Bool { type.supertypes.contains(self) }

  /// Whether the type was made from a tag that no known type has.
  public var isDynamic: Bool { identifier.hasPrefix("dyn.") }

  /// Whether the module knows the type.
  public var isDeclared: Bool { declared != nil }

  /// Whether the identifier begins with `public.`.
  public var isPublic: Bool { identifier.hasPrefix("public.") }

  /// The identifier.
  public var description: String { identifier }

  /// The identifier, because there are no names in the user's language.
  public var localizedDescription: String? { isDynamic ? nil : identifier }

  /// Types are equal if their identifiers are equal.
  public static func == (left: UTType, right: UTType) -> Bool {
    left.identifier == right.identifier
  }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension URL {
  /// Appends a type's preferred extension. Returns the unchanged URL if it ends with one of the type's extensions.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    guard let wanted = contentType.preferredFilenameExtension else { return self }
    let known: [String] = contentType.tags[.filenameExtension] ?? []
    return known.contains(pathExtension.lowercased()) ? self : appendingPathExtension(wanted)
  }

  /// Returns the URL with a component that has a type's extension.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL
  {
    appendingPathComponent(partialName).appendingPathExtension(for: contentType)
  }

  /// Appends a type's preferred extension. Does nothing if the URL ends with one of the type's extensions.
  public mutating func appendPathExtension(for contentType: UTType) {
    self = appendingPathExtension(for: contentType)
  }
}
