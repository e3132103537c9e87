extension UTType {
  /// Anything in a file system.
  public static let item: UTType = UTType(declared: "public.item")
  /// Anything that a user can read, see or hear.
  public static let content: UTType = UTType(declared: "public.content")
  /// The type `public.composite-content`.
  public static let compositeContent: UTType = UTType(declared: "public.composite-content")
  /// A file or bytes in memory.
  public static let data: UTType = UTType(declared: "public.data")
  /// The type `public.directory`.
  public static let directory: UTType = UTType(declared: "public.directory")
  /// The type `public.folder`.
  public static let folder: UTType = UTType(declared: "public.folder")
  /// The type `com.apple.package`.
  public static let package: UTType = UTType(declared: "com.apple.package")
  /// The type `com.apple.bundle`.
  public static let bundle: UTType = UTType(declared: "com.apple.bundle")
  /// The type `public.executable`.
  public static let executable: UTType = UTType(declared: "public.executable")
  /// The type `public.url`.
  public static let url: UTType = UTType(declared: "public.url")
  /// The type `public.file-url`.
  public static let fileURL: UTType = UTType(declared: "public.file-url")
  /// The type `public.text`.
  public static let text: UTType = UTType(declared: "public.text")
  /// The type `public.plain-text`, such as `.txt` files.
  public static let plainText: UTType = UTType(declared: "public.plain-text")
  /// The type `public.utf8-plain-text`.
  public static let utf8PlainText: UTType = UTType(declared: "public.utf8-plain-text")
  /// The type `public.comma-separated-values-text`, such as `.csv` files.
  public static let commaSeparatedText: UTType = UTType(
    declared: "public.comma-separated-values-text")
  /// The type `public.delimited-values-text`.
  public static let delimitedText: UTType = UTType(declared: "public.delimited-values-text")
  /// The type `public.tab-separated-values-text`, such as `.tsv` files.
  public static let tabSeparatedText: UTType = UTType(declared: "public.tab-separated-values-text")
  /// The type `public.html`, such as `.html` files.
  public static let html: UTType = UTType(declared: "public.html")
  /// The type `public.xml`, such as `.xml` files.
  public static let xml: UTType = UTType(declared: "public.xml")
  /// The type `public.json`, such as `.json` files.
  public static let json: UTType = UTType(declared: "public.json")
  /// The type `public.yaml`, such as `.yml` files.
  public static let yaml: UTType = UTType(declared: "public.yaml")
  /// The type `public.source-code`.
  public static let sourceCode: UTType = UTType(declared: "public.source-code")
  /// The type `public.swift-source`, such as `.swift` files.
  public static let swiftSource: UTType = UTType(declared: "public.swift-source")
  /// The type `public.c-source`, such as `.c` files.
  public static let cSource: UTType = UTType(declared: "public.c-source")
  /// The type `public.c-header`, such as `.h` files.
  public static let cHeader: UTType = UTType(declared: "public.c-header")
  /// The type `public.c-plus-plus-source`, such as `.cpp` files.
  public static let cPlusPlusSource: UTType = UTType(declared: "public.c-plus-plus-source")
  /// The type `public.script`.
  public static let script: UTType = UTType(declared: "public.script")
  /// The type `public.shell-script`, such as `.sh` files.
  public static let shellScript: UTType = UTType(declared: "public.shell-script")
  /// The type `public.python-script`, such as `.py` files.
  public static let pythonScript: UTType = UTType(declared: "public.python-script")
  /// The type `com.netscape.javascript-source`, such as `.js` files.
  public static let javaScript: UTType = UTType(declared: "com.netscape.javascript-source")
  /// The type `public.rtf`, such as `.rtf` files.
  public static let rtf: UTType = UTType(declared: "public.rtf")
  /// The type `com.adobe.pdf`, such as `.pdf` files.
  public static let pdf: UTType = UTType(declared: "com.adobe.pdf")
  /// The type `com.apple.property-list`, such as `.plist` files.
  public static let propertyList: UTType = UTType(declared: "com.apple.property-list")
  /// The type `com.apple.xml-property-list`, such as `.plist` files.
  public static let xmlPropertyList: UTType = UTType(declared: "com.apple.xml-property-list")
  /// The type `com.apple.binary-property-list`, such as `.plist` files.
  public static let binaryPropertyList: UTType = UTType(declared: "com.apple.binary-property-list")
  /// The type `public.archive`.
  public static let archive: UTType = UTType(declared: "public.archive")
  /// The type `public.zip-archive`, such as `.zip` files.
  public static let zip: UTType = UTType(declared: "public.zip-archive")
  /// The type `org.gnu.gnu-zip-archive`, such as `.gz` files.
  public static let gzip: UTType = UTType(declared: "org.gnu.gnu-zip-archive")
  /// The type `public.bzip2-archive`, such as `.bz2` files.
  public static let bz2: UTType = UTType(declared: "public.bzip2-archive")
  /// The type `public.tar-archive`, such as `.tar` files.
  public static let tarArchive: UTType = UTType(declared: "public.tar-archive")
  /// The type `public.image`.
  public static let image: UTType = UTType(declared: "public.image")
  /// The type `public.jpeg`, such as `.jpeg` files.
  public static let jpeg: UTType = UTType(declared: "public.jpeg")
  /// The type `public.png`, such as `.png` files.
  public static let png: UTType = UTType(declared: "public.png")
  /// The type `public.tiff`, such as `.tiff` files.
  public static let tiff: UTType = UTType(declared: "public.tiff")
  /// The type `com.compuserve.gif`, such as `.gif` files.
  public static let gif: UTType = UTType(declared: "com.compuserve.gif")
  /// The type `com.microsoft.bmp`, such as `.bmp` files.
  public static let bmp: UTType = UTType(declared: "com.microsoft.bmp")
  /// The type `com.microsoft.ico`, such as `.ico` files.
  public static let ico: UTType = UTType(declared: "com.microsoft.ico")
  /// The type `public.heic`, such as `.heic` files.
  public static let heic: UTType = UTType(declared: "public.heic")
  /// The type `public.heif`, such as `.heif` files.
  public static let heif: UTType = UTType(declared: "public.heif")
  /// The type `org.webmproject.webp`, such as `.webp` files.
  public static let webP: UTType = UTType(declared: "org.webmproject.webp")
  /// The type `public.svg-image`, such as `.svg` files.
  public static let svg: UTType = UTType(declared: "public.svg-image")
  /// The type `public.camera-raw-image`.
  public static let rawImage: UTType = UTType(declared: "public.camera-raw-image")
  /// The type `com.apple.live-photo`.
  public static let livePhoto: UTType = UTType(declared: "com.apple.live-photo")
  /// The type `com.ilm.openexr-image`, such as `.exr` files.
  public static let exr: UTType = UTType(declared: "com.ilm.openexr-image")
  /// The type `public.audiovisual-content`.
  public static let audiovisualContent: UTType = UTType(declared: "public.audiovisual-content")
  /// The type `public.movie`.
  public static let movie: UTType = UTType(declared: "public.movie")
  /// The type `public.video`.
  public static let video: UTType = UTType(declared: "public.video")
  /// The type `public.audio`.
  public static let audio: UTType = UTType(declared: "public.audio")
  /// The type `com.apple.quicktime-movie`, such as `.mov` files.
  public static let quickTimeMovie: UTType = UTType(declared: "com.apple.quicktime-movie")
  /// The type `public.mpeg`, such as `.mpg` files.
  public static let mpeg: UTType = UTType(declared: "public.mpeg")
  /// The type `public.mpeg-2-video`, such as `.m2v` files.
  public static let mpeg2Video: UTType = UTType(declared: "public.mpeg-2-video")
  /// The type `public.mpeg-4`, such as `.mp4` files.
  public static let mpeg4Movie: UTType = UTType(declared: "public.mpeg-4")
  /// The type `com.apple.protected-mpeg-4-video`, such as `.m4v` files.
  public static let appleProtectedMPEG4Video: UTType = UTType(
    declared: "com.apple.protected-mpeg-4-video")
  /// The type `public.avi`, such as `.avi` files.
  public static let avi: UTType = UTType(declared: "public.avi")
  /// The type `public.mp3`, such as `.mp3` files.
  public static let mp3: UTType = UTType(declared: "public.mp3")
  /// The type `com.microsoft.waveform-audio`, such as `.wav` files.
  public static let wav: UTType = UTType(declared: "com.microsoft.waveform-audio")
  /// The type `public.aiff-audio`, such as `.aiff` files.
  public static let aiff: UTType = UTType(declared: "public.aiff-audio")
  /// The type `public.midi-audio`, such as `.midi` files.
  public static let midi: UTType = UTType(declared: "public.midi-audio")
  /// The type `public.mpeg-4-audio`, such as `.mp4` files.
  public static let mpeg4Audio: UTType = UTType(declared: "public.mpeg-4-audio")
  /// The type `public.3d-content`.
  public static let threeDContent: UTType = UTType(declared: "public.3d-content")
  /// The type `com.pixar.universal-scene-description-mobile`, such as `.usdz` files.
  public static let usdz: UTType = UTType(declared: "com.pixar.universal-scene-description-mobile")
  /// The type `public.database`.
  public static let database: UTType = UTType(declared: "public.database")
  /// The type `public.spreadsheet`.
  public static let spreadsheet: UTType = UTType(declared: "public.spreadsheet")
  /// The type `public.presentation`.
  public static let presentation: UTType = UTType(declared: "public.presentation")
  /// The type `public.font`.
  public static let font: UTType = UTType(declared: "public.font")
  /// The type `com.apple.log`, such as `.log` files.
  public static let log: UTType = UTType(declared: "com.apple.log")
}
