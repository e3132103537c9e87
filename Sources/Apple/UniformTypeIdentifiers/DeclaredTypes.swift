// The types, their parents, the extensions of file names and the MIME types. The first extension and the first MIME
// type are preferred. Identifiers and conformance follow Apple's documentation of UTType.

/// A type that this module declares.
struct DeclaredType: Sendable {
  let identifier: String
  let parents: [String]
  let extensions: [String]
  let mimeTypes: [String]

  init(
    _ identifier: String, _ parents: [String], _ extensions: [String] = [],
    _ mimeTypes: [String] = []
  ) {
    self.identifier = identifier
    self.parents = parents
    self.extensions = extensions
    self.mimeTypes = mimeTypes
  }

  /// All types.
  static let all: [DeclaredType] = [
    DeclaredType("public.item", []),
    DeclaredType("public.content", []),
    DeclaredType("public.composite-content", ["public.content"]),
    DeclaredType("public.data", ["public.item"]),
    DeclaredType("public.directory", ["public.item"]),
    DeclaredType("public.folder", ["public.directory"]),
    DeclaredType("com.apple.package", ["public.directory"]),
    DeclaredType("com.apple.bundle", ["public.directory"]),
    DeclaredType("public.executable", ["public.data"]),
    DeclaredType("public.url", ["public.data"]),
    DeclaredType("public.file-url", ["public.url"]),
    DeclaredType("public.text", ["public.data", "public.content"]),
    DeclaredType("public.plain-text", ["public.text"], ["txt", "text"], ["text/plain"]),
    DeclaredType("public.utf8-plain-text", ["public.plain-text"], [], ["text/plain;charset=utf-8"]),
    DeclaredType(
      "public.comma-separated-values-text", ["public.delimited-values-text"], ["csv"], ["text/csv"]),
    DeclaredType("public.delimited-values-text", ["public.text"]),
    DeclaredType(
      "public.tab-separated-values-text", ["public.delimited-values-text"], ["tsv"],
      ["text/tab-separated-values"]),
    DeclaredType("public.html", ["public.text"], ["html", "htm", "shtml"], ["text/html"]),
    DeclaredType("public.xml", ["public.text"], ["xml"], ["application/xml", "text/xml"]),
    DeclaredType("public.json", ["public.text"], ["json"], ["application/json"]),
    DeclaredType("public.yaml", ["public.text"], ["yml", "yaml"], ["application/x-yaml"]),
    DeclaredType("public.source-code", ["public.plain-text"]),
    DeclaredType("public.swift-source", ["public.source-code"], ["swift"], ["text/x-swift"]),
    DeclaredType("public.c-source", ["public.source-code"], ["c"]),
    DeclaredType("public.c-header", ["public.source-code"], ["h"]),
    DeclaredType("public.c-plus-plus-source", ["public.source-code"], ["cpp", "cc", "cxx"]),
    DeclaredType("public.script", ["public.source-code"]),
    DeclaredType("public.shell-script", ["public.script"], ["sh"]),
    DeclaredType("public.python-script", ["public.script"], ["py"], ["text/x-python-script"]),
    DeclaredType(
      "com.netscape.javascript-source", ["public.source-code"], ["js"], ["text/javascript"]),
    DeclaredType("public.rtf", ["public.text"], ["rtf"], ["text/rtf"]),
    DeclaredType(
      "com.adobe.pdf", ["public.data", "public.composite-content"], ["pdf"], ["application/pdf"]),
    DeclaredType("com.apple.property-list", ["public.data"], ["plist"]),
    DeclaredType(
      "com.apple.xml-property-list", ["public.xml", "com.apple.property-list"], ["plist"]),
    DeclaredType("com.apple.binary-property-list", ["com.apple.property-list"], ["plist"]),
    DeclaredType("public.archive", ["public.data"]),
    DeclaredType(
      "public.zip-archive", ["public.data", "public.archive"], ["zip"], ["application/zip"]),
    DeclaredType(
      "org.gnu.gnu-zip-archive", ["public.data", "public.archive"], ["gz", "gzip"],
      ["application/gzip"]),
    DeclaredType(
      "public.bzip2-archive", ["public.data", "public.archive"], ["bz2"], ["application/x-bzip2"]),
    DeclaredType(
      "public.tar-archive", ["public.data", "public.archive"], ["tar"], ["application/x-tar"]),
    DeclaredType("public.image", ["public.data", "public.content"]),
    DeclaredType(
      "public.jpeg", ["public.image"], ["jpeg", "jpg", "jpe"], ["image/jpeg", "image/jpg"]),
    DeclaredType("public.png", ["public.image"], ["png"], ["image/png"]),
    DeclaredType("public.tiff", ["public.image"], ["tiff", "tif"], ["image/tiff"]),
    DeclaredType("com.compuserve.gif", ["public.image"], ["gif"], ["image/gif"]),
    DeclaredType("com.microsoft.bmp", ["public.image"], ["bmp", "dib"], ["image/bmp"]),
    DeclaredType("com.microsoft.ico", ["public.image"], ["ico"], ["image/vnd.microsoft.icon"]),
    DeclaredType("public.heic", ["public.heif-standard"], ["heic"], ["image/heic"]),
    DeclaredType("public.heif", ["public.heif-standard"], ["heif"], ["image/heif"]),
    DeclaredType("public.heif-standard", ["public.image"]),
    DeclaredType("org.webmproject.webp", ["public.image"], ["webp"], ["image/webp"]),
    DeclaredType(
      "public.svg-image", ["public.image", "public.xml"], ["svg", "svgz"], ["image/svg+xml"]),
    DeclaredType("public.camera-raw-image", ["public.image"]),
    DeclaredType("com.apple.live-photo", []),
    DeclaredType("com.ilm.openexr-image", ["public.image"], ["exr"]),
    DeclaredType("public.jpeg-2000", ["public.image"], ["jp2", "j2k"], ["image/jp2"]),
    DeclaredType("public.avif", ["public.heif-standard"], ["avif"], ["image/avif"]),
    DeclaredType("public.audiovisual-content", ["public.data", "public.content"]),
    DeclaredType("public.movie", ["public.audiovisual-content"]),
    DeclaredType("public.video", ["public.movie"]),
    DeclaredType("public.audio", ["public.audiovisual-content"]),
    DeclaredType(
      "com.apple.quicktime-movie", ["public.movie"], ["mov", "qt"], ["video/quicktime"]),
    DeclaredType("public.mpeg", ["public.movie"], ["mpg", "mpeg"], ["video/mpeg"]),
    DeclaredType("public.mpeg-2-video", ["public.video"], ["m2v"]),
    DeclaredType("public.mpeg-4", ["public.movie"], ["mp4", "mpg4"], ["video/mp4"]),
    DeclaredType("com.apple.protected-mpeg-4-video", ["public.mpeg-4"], ["m4v"]),
    DeclaredType(
      "public.avi", ["public.movie"], ["avi", "vfw"], ["video/avi", "video/x-msvideo"]),
    DeclaredType("org.webmproject.webm", ["public.movie"], ["webm"], ["video/webm"]),
    DeclaredType("org.matroska.mkv", ["public.movie"], ["mkv"], ["video/x-matroska"]),
    DeclaredType("public.mp3", ["public.audio"], ["mp3", "mpga"], ["audio/mpeg", "audio/mp3"]),
    DeclaredType(
      "com.microsoft.waveform-audio", ["public.audio"], ["wav", "wave"],
      ["audio/vnd.wave", "audio/wav", "audio/x-wav"]),
    DeclaredType("public.aiff-audio", ["public.audio"], ["aiff", "aif"], ["audio/aiff"]),
    DeclaredType("public.midi-audio", ["public.audio"], ["midi", "mid"], ["audio/midi"]),
    DeclaredType("public.mpeg-4-audio", ["public.mpeg-4", "public.audio"], ["mp4"]),
    DeclaredType("com.apple.m4a-audio", ["public.audio"], ["m4a"], ["audio/x-m4a"]),
    DeclaredType("org.xiph.flac", ["public.audio"], ["flac"], ["audio/flac"]),
    DeclaredType("com.apple.coreaudio-format", ["public.audio"], ["caf"], ["audio/x-caf"]),
    DeclaredType("public.3d-content", ["public.content"]),
    DeclaredType(
      "com.pixar.universal-scene-description-mobile", ["public.data", "public.3d-content"],
      ["usdz"], ["model/vnd.usdz+zip"]),
    DeclaredType("public.database", []),
    DeclaredType("public.spreadsheet", ["public.content"]),
    DeclaredType("public.presentation", ["public.composite-content"]),
    DeclaredType("public.font", []),
    DeclaredType("com.apple.log", ["public.plain-text"], ["log"]),
    DeclaredType("com.apple.coreml.model", ["public.data"], ["mlmodel"]),
    DeclaredType("com.apple.coreml.mlpackage", ["com.apple.package"], ["mlpackage"]),
  ]

  /// The types by identifier.
  static let byIdentifier: [String: DeclaredType] = Dictionary(
    all.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
}
