import Foundation

/// The origin of a painting: the name of the network or command that painted it. Atelier writes the origin as an entry
/// into the XMP packet of the painting's file. By this entry, Atelier recognises its own paintings.
public struct PictureOrigin: Sendable, Hashable {
  /// The style network's name, or the command that painted.
  public let painter: String

  /// Creates an origin.
  public init(painter: String) { self.painter = painter }

  /// The largest XMP packet that is searched for the entry, in bytes. Usual packets are far smaller.
  private static let largestPacket: Int = 1 << 20
  private static let start = "<atelier:painter>"
  private static let end = "</atelier:painter>"

  /// Reads the entry from a picture file's XMP packet. Nil if the packet has no entry of Atelier.
  public init?(xmp: UnsafeRawBufferPointer) {
    guard xmp.count <= Self.largestPacket else { return nil }
    let text = String(decoding: xmp, as: UTF8.self)
    guard let before = text.range(of: Self.start),
      let after = text.range(of: Self.end, range: before.upperBound..<text.endIndex)
    else { return nil }
    var name = String(text[before.upperBound..<after.lowerBound])
    for (letter, entity) in Self.entities.reversed() {
      name = name.replacingOccurrences(of: entity, with: letter)
    }
    painter = name
  }

  /// An XMP packet with the entry.
  public var xmp: Data {
    Data(
      """
      <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
      <x:xmpmeta xmlns:x="adobe:ns:meta/">
      <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
      <rdf:Description rdf:about="" xmlns:xmp="http://ns.adobe.com/xap/1.0/">
      <xmp:CreatorTool>Atelier</xmp:CreatorTool>
      </rdf:Description>
      \(element)
      </rdf:RDF>
      </x:xmpmeta>
      <?xpacket end="r"?>
      """.utf8)
  }

  /// The element that holds the entry, for the RDF of an XMP packet.
  public var element: String {
    var name: String = painter
    for (letter, entity) in Self.entities {
      name = name.replacingOccurrences(of: letter, with: entity)
    }
    return "<rdf:Description rdf:about=\"\" xmlns:atelier=\"urn:atelier:painting\">"
      + "\(Self.start)\(name)\(Self.end)</rdf:Description>"
  }

  /// The characters that XML requires to escape, with their entities. The ampersand is first, because every entity
  /// contains one.
  private static let entities: [(String, String)] = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")]
}
